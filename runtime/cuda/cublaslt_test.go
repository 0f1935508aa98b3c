//go:build cuda

package cuda

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/compiler/plan/plantest"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/ref"
)

// simulatedLibrary is made by `make sim` beside the drivers. Which of its
// algorithms is the fastest is set in the environment.
var simulatedLibrary = simulated("libcublasLt-sim.so")

// fastest sets the algorithm of the simulated library that is not slowed down.
func fastest(t *testing.T, algorithm string) {
	t.Helper()
	pause := "3000"
	if algorithm == "own" {
		pause = "20000" // a kernel takes long in the checking flavour
	}
	t.Setenv("GRADCUE_SIM_CUBLASLT", "pause="+pause+",fast="+algorithm)
}

// onSimulator reports whether the driver under test is a simulated one. On a device
// the library is the one that is found there, and what is fastest shows.
func onSimulator() bool { return strings.Contains(driver(), "libcuda-sim") }

// withLibrary is an engine that may use the library.
func withLibrary() Engine {
	if !onSimulator() {
		return Engine{Library: driver(), CublasLt: LibraryAny, Folders: LibraryFolders(os.Getenv("VIRTUAL_ENV"), os.Getenv("CONDA_PREFIX"))}
	}
	return Engine{Library: driver(), CublasLt: simulatedLibrary}
}

// narrow sizes are small, and rows are whole pieces of 16 bytes in each type.
var narrow = sizes{batch: 2, seq: 12, width: 24, hidden: 40, vocab: 64, heads: 4, groups: 2, headDim: 6, positions: 12, compact: 7}

// spied is an engine that keeps what its last session chose.
type spied struct {
	Engine
	chosen string
	list   *Choices
}

func (e *spied) Open(p *plan.Plan, o exec.Options) (exec.Session, error) {
	s, err := e.Engine.Open(p, o)
	if err == nil {
		e.chosen, e.list = s.(*session).Chosen(), s.(*session).choices
	}
	return s, err
}

// TestLibraryOps: each product that the library makes agrees with ref, with bias,
// GELU and residual, stored and continued. Split over k it needs workspace.
func TestLibraryOps(t *testing.T) {
	fastest(t, "2")
	seen := map[string]int{}
	for _, l := range arithmetics {
		for _, c := range narrow.cases() {
			c, ok := stored(c, l.to)
			if !ok || l.products == "f32" || !multiplies(c.Op) || c.Op == ir.OpAttention || c.Op == ir.OpAttentionGrad {
				continue
			}
			for _, acc := range []float64{0, 1} {
				p, args, results := plantest.Single(c, 3)
				want := narrow.apply(t, ref.Engine{}, p, c, args, results, acc)
				e := &spied{Engine: withLibrary()}
				got := narrow.apply(t, e, with(p, l.products), c, args, results, acc)
				for k := range want {
					if a := relative(got[k], want[k]); !(a <= l.limit) {
						t.Errorf("%s%s in %s, acc %v: %s differs from ref by %.3g", c.Op, c.Attr, l.products, acc, c.Op.Info().Results[k].Name, a)
					}
				}
				if e.list == nil {
					t.Fatalf("%s in %s: nothing was chosen", c.Op, l.products)
				}
				for _, x := range e.list.List {
					if x.Kernel != libraryKernel && onSimulator() {
						t.Errorf("%s is made by our own kernel, in %v µs", x.Product, x.Micros)
					}
					seen[x.Op+" "+x.Type]++
				}
			}
		}
	}
	if !onSimulator() {
		t.Logf("products: %v", seen)
		return
	}
	for _, want := range strings.Fields("linear linear.dx linear.dw head.logits") {
		for _, kind := range strings.Fields("bf16 f16 tf32") {
			if seen[want+" "+kind] == 0 {
				t.Errorf("the library made no %s in %s", want, kind)
			}
		}
	}
	for _, want := range strings.Fields("head.dx head.dw") {
		for _, kind := range strings.Fields("bf16 tf32") { // in f16 they are no products of stored matrices
			if seen[want+" "+kind] == 0 {
				t.Errorf("the library made no %s in %s", want, kind)
			}
		}
	}
}

// TestLibraryRefused: what is not the library is an error, the real one is never
// loaded beside the simulated driver, and f32 products never ask for it.
func TestLibraryRefused(t *testing.T) {
	for _, c := range []struct{ path, want string }{
		{"/nonexistent/libcublasLt.so.12", "not the simulated library"},
		{driver(), "not the simulated library"},
	} {
		_, _, err := choosing(Engine{Library: driver(), CublasLt: c.path}, exec.Options{}, 0)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.path, err, c.want)
		}
	}
	s, err := Engine{Library: driver(), CublasLt: "/nonexistent/libcublasLt.so.12"}.Open(small(0), exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.(*session).Choices()
	if err := errors.Join(err, s.Close()); err != nil || text != nil || s.(*session).Chosen() != "" {
		t.Errorf("f32 products: %v, chosen %q", err, text)
	}
}

// TestCandidates: the system is asked first, then the folders, newest first.
func TestCandidates(t *testing.T) {
	if got := candidates([]string{t.TempDir() + "/*", "/[", "/nonexistent"}); !cmp.Equal(got, libraryNames) {
		t.Errorf("without files: %v", got)
	}
	if got := fmt.Sprint(LibraryFolders("/venv/")); !strings.Contains(got, "/venv/lib/python3*/site-packages/nvidia/cublas/lib") {
		t.Errorf("folders: %s", got)
	}
}

// libraryProduct queues a product of the library of 16×16 matrices, whose operands
// have been written or not, and then, where they have, a copy out that does not
// wait for it.
func libraryProduct(written bool) func(*rig) error {
	return func(r *rig) (err error) {
		var at [3]uint64
		for i := range at {
			var values []float32
			if written {
				values = make([]float32, 256)
			}
			if at[i], err = r.floats(256, values...); err != nil {
				return err
			}
		}
		l, err := openLibrary(simulatedLibrary, nil)
		if err != nil {
			return err
		}
		p := &product{Product: Product{Op: "linear", M: 16, N: 16, K: 16, Type: "tf32", Result: "f32"},
			a: matrix{at: at[0], row: 16}, b: matrix{at: at[1], row: 16}, d: matrix{at: at[2], row: 16}}
		m, err := l.make(p)
		if err != nil {
			return err
		}
		list := l.search(m)
		if len(list) == 0 {
			return errors.New("the library has no algorithm")
		}
		m.algo = list[0].algo
		if err := r.do(r.gpu.matmulStep(plan.Compute, m)); err != nil || !written {
			return err
		}
		return r.copyOut(at[2], 256)
	}
}
