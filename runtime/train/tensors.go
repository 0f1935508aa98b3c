package train

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"math"
	"runtime"
	"sync"

	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/kernels/cpu"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/weights"
)

// tensor is a stored tensor of a run: a parameter or one of its moments.
type tensor struct {
	name   string
	buffer int
	shape  []int
	n      int
	param  *plan.Param // nil for a moment
	copy   int         // buffer of the 16-bit copy that products read, -1 without
}

// tensors lists what a state holds: parameters in canonical order, in f32 where
// there is a master copy, then their moments under the optimizer's name for them.
func tensors(p *plan.Plan) (all []tensor) {
	add := func(name string, buffer int, q, param *plan.Param) {
		n := 1
		for _, d := range q.Shape {
			n *= d
		}
		t := tensor{name: name, buffer: buffer, shape: q.Shape, n: n, param: param, copy: -1}
		if param != nil && q.Master > 0 {
			t.buffer, t.copy = q.Master-1, buffer
		}
		all = append(all, t)
	}
	for i := range p.Run.Params {
		q := &p.Run.Params[i]
		add(q.Name, q.Buffer, q, q)
	}
	for i := range p.Run.Params {
		q := &p.Run.Params[i]
		for k, b := range q.State {
			add(moment(p.Run.Optimizer.Kind, k)+"/"+q.Name, b, q, nil)
		}
	}
	return all
}

func moment(kind string, k int) string {
	names := map[string][]string{"adamw": {"m", "v"}, "sgd": {"momentum"}}[kind]
	if k < len(names) {
		return kind + "." + names[k]
	}
	return fmt.Sprintf("%s.%d", kind, k)
}

// store moves tensors between a session and files. A wide engine computes in
// float64 and keeps all of its bits.
type store struct {
	sess exec.Session
	all  []tensor
	wide bool
	most int       // elements of the largest tensor
	f32  []float32 // room for it, made when a tensor cannot be looked at in place
	f64  []float64
}

func newStore(sess exec.Session, p *plan.Plan, wide bool) *store {
	s := &store{sess: sess, all: tensors(p), wide: wide}
	for _, t := range s.all {
		s.most = max(s.most, t.n)
	}
	if wide {
		s.f64 = make([]float64, s.most)
	}
	return s
}

// floats is the tensor's own memory where the session shows it, else room for a
// copy.
func (s *store) floats(t tensor) (x []float32, own bool) {
	if v, ok := s.sess.(exec.Viewer); ok {
		if x := v.Floats(t.buffer); len(x) == t.n {
			return x, true
		}
	}
	if s.f32 == nil {
		s.f32 = make([]float32, s.most)
	}
	return s.f32[:t.n], false
}

// read is the tensor in f32; it is to be looked at only.
func (s *store) read(t tensor) ([]float32, error) {
	x, own := s.floats(t)
	if own {
		return x, nil
	}
	return x, s.sess.Read(t.buffer, x)
}

// Initialise writes what a run starts from: the first parameters and zero moments.
func Initialise(sess exec.Session, p *plan.Plan) error {
	return newStore(sess, p, false).initialise(p.Run.Seed)
}

// LoadParameters writes the parameters of a state's file to a session of a plan
// that may have fewer tensors, such as one for sampling.
func LoadParameters(sess exec.Session, p *plan.Plan, f *weights.File) error {
	return newStore(sess, p, false).load(f)
}

// initialise writes the first parameters and zero moments.
func (s *store) initialise(seed int64) error {
	for _, t := range s.all {
		x, own := s.floats(t)
		if err := first32(x, t, seed); err != nil {
			return err
		}
		if err := s.write(t, x, own); err != nil {
			return fmt.Errorf("initialise %s: %w", t.name, err)
		}
	}
	return nil
}

// write stores a tensor, unless x is its own memory, and its rounded copy where
// products read one.
func (s *store) write(t tensor, x any, own bool) error {
	if t.copy >= 0 {
		if err := s.sess.Write(t.copy, x); err != nil {
			return err
		}
	}
	if own {
		return nil
	}
	return s.sess.Write(t.buffer, x)
}

// first32 fills in a tensor's first values. A normal one is a function of seed,
// name and index, so neither order nor the number of goroutines nor the engine matters.
func first32(x []float32, t tensor, seed int64) error {
	clear(x)
	if t.param == nil {
		return nil
	}
	switch t.param.Init {
	case "zeros":
	case "ones":
		for i := range x {
			x[i] = 1
		}
	case "normal":
		h := fnv.New64a()
		h.Write([]byte(t.name))
		name, std, isa := h.Sum64(), t.param.Std, cpu.Detect()
		pieces(len(x), func(lo, hi int) {
			cpu.Normals(isa, x[lo:hi], std, uint64(seed), name, uint64(lo))
		})
	default:
		return fmt.Errorf("parameter %s: initialisation %q does not exist, use normal, ones or zeros", t.name, t.param.Init)
	}
	return nil
}

// pieces runs body over [0,n) on a few goroutines, in pieces that begin at even elements.
func pieces(n int, body func(lo, hi int)) {
	const piece = 1 << 14
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for lo := 0; lo < n; lo += piece {
		slots <- struct{}{}
		wg.Go(func() {
			body(lo, min(lo+piece, n))
			<-slots
		})
	}
	wg.Wait()
}

// header describes the tensors for a file.
func (s *store) header() []weights.Tensor {
	d := weights.F32
	if s.wide {
		d = weights.F64
	}
	ts := make([]weights.Tensor, len(s.all))
	for i, t := range s.all {
		ts[i] = weights.Tensor{Name: t.name, DType: d, Shape: t.shape}
	}
	return ts
}

// save writes the tensors in the order of header.
func (s *store) save(w *weights.Writer) error {
	for _, t := range s.all {
		if s.wide {
			if err := s.sess.Read(t.buffer, s.f64[:t.n]); err != nil {
				return fmt.Errorf("read %s: %w", t.name, err)
			}
			if err := w.F64(s.f64[:t.n]); err != nil {
				return err
			}
			continue
		}
		x, err := s.read(t)
		if err != nil {
			return fmt.Errorf("read %s: %w", t.name, err)
		}
		if err := w.F32(x); err != nil {
			return err
		}
	}
	return nil
}

// load is the inverse of save. A file of the other width, left by another
// engine, is converted.
func (s *store) load(f *weights.File) error {
	for _, t := range s.all {
		found, _ := f.Find(t.name)
		if _, err := f.Want(t.name, found.DType, t.shape); err != nil {
			return err
		}
		x, own, err := s.from(f, t, found.DType)
		if err != nil {
			return err
		}
		if err := s.write(t, x, own); err != nil {
			return fmt.Errorf("write %s: %w", t.name, err)
		}
	}
	return nil
}

// from reads a tensor of a file in the width of the engine.
func (s *store) from(f *weights.File, t tensor, d weights.DType) (x any, own bool, err error) {
	if d != weights.F32 {
		wide := make([]float64, t.n)
		if err := f.ReadF64(t.name, wide); err != nil || s.wide {
			return wide, false, err
		}
		x, own := s.floats(t)
		for i, v := range wide {
			x[i] = float32(v)
		}
		return x, own, nil
	}
	y, own := s.floats(t)
	return y, own, f.ReadF32(t.name, y)
}

// hash is sha256 over the parameters in canonical order, little-endian.
func (s *store) hash() (string, error) {
	h := sha256.New()
	b := make([]byte, 0, 1<<16)
	full := func(limit int) {
		if len(b) > limit {
			h.Write(b)
			b = b[:0]
		}
	}
	for _, t := range s.all {
		if t.param == nil {
			continue
		}
		var err error
		if s.wide {
			err = s.sess.Read(t.buffer, s.f64[:t.n])
			for _, v := range s.f64[:t.n] {
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
				full(cap(b) - 8)
			}
		} else {
			var x []float32
			x, err = s.read(t)
			for _, v := range x {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
				full(cap(b) - 8)
			}
		}
		if err != nil {
			return "", fmt.Errorf("read %s: %w", t.name, err)
		}
	}
	full(0)
	return hex.EncodeToString(h.Sum(nil)), nil
}
