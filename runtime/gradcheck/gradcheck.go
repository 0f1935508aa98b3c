package gradcheck

import (
	"context"
	"fmt"
	"math"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

// Limit is the greatest error that passes, unless Options say otherwise.
const Limit = 1e-6

// Session is what of exec.Session is needed. Read and Write must keep every bit
// of a []float64 on a buffer of f32, as the engine ref does.
type Session interface {
	Write(buffer int, data any) error
	Read(buffer int, data any) error
	Run(ctx context.Context, s ir.Section) error
}

// Options of Run; without Inputs there is nothing to run, the rest has a useful
// zero value.
type Options struct {
	Inputs  Inputs  // one window
	Samples int     // elements per tensor, all of a smaller one; 0 = 24
	Seed    uint64  // which elements, and the noise of Jitter
	Limit   float64 // 0 = Limit
	Step    float64 // h as a fraction of the tensor's root mean square; 0 = 0.002
	// Jitter is the standard deviation of what is added to every parameter for
	// the time of the check: at their first values, ones and zeros can hide a
	// missing factor or term.
	Jitter   float64
	Progress func(done, total int) // told after each element, if set
}

// Tensor is the finding for one parameter.
type Tensor struct {
	Name              string
	Shape             []int
	Checked           int     // elements
	Rel               float64 // ‖a−n‖ / max(‖a‖,‖n‖), 0 when both are 0
	Worst             float64 // greatest error of an element
	WorstIndex        int     // that element, row-major
	Analytic, Numeric float64 // its two gradients
	NoGradient        bool    // the plan's gradient is exactly 0 everywhere
}

// Report is the outcome.
type Report struct {
	Loss    float64 // L at the point of the check
	Limit   float64
	Runs    int // of the micro section
	Tensors []Tensor
}

// Failed lists the tensors that are not within the limit.
func (r *Report) Failed() (ts []Tensor) {
	for _, t := range r.Tensors {
		if !(t.Rel <= r.Limit && t.Worst <= r.Limit) { // a NaN fails
			ts = append(ts, t)
		}
	}
	return ts
}

// NoGradient lists the parameters that the loss does not reach.
func (r *Report) NoGradient() (ts []Tensor) {
	for _, t := range r.Tensors {
		if t.NoGradient {
			ts = append(ts, t)
		}
	}
	return ts
}

// Run checks every parameter of a training plan at the values that the session
// holds. An error is one of the session, of inputs that do not fit the plan, or
// the end of ctx; wrong gradients are in the Report.
func Run(ctx context.Context, p *plan.Plan, s Session, o Options) (rep Report, err error) {
	o.Samples = max(2, orElse(o.Samples, 24))
	o.Limit, o.Step = orElse(o.Limit, Limit), orElse(o.Step, 0.002)
	w, err := open(ctx, p, s, &o.Inputs)
	if err != nil {
		return rep, err
	}
	defer func() {
		if e := w.restore(); err == nil {
			err = e
		}
	}()
	if err := w.jitter(o.Jitter, o.Seed); err != nil {
		return rep, err
	}
	grads, loss, err := w.gradient()
	if err != nil {
		return rep, err
	}
	rep.Loss, rep.Limit = loss, o.Limit
	picks := make([][]int, len(grads))
	total := 0
	for i, g := range grads {
		picks[i] = pick(g, o.Samples, o.Seed, uint64(i))
		total += len(picks[i])
	}
	done := 0
	for i := range grads {
		numeric := make([]float64, len(picks[i]))
		h := o.Step * scale(w.params[i])
		for j, at := range picks[i] {
			if numeric[j], err = w.difference(i, at, h); err != nil {
				return rep, err
			}
			if done++; o.Progress != nil {
				o.Progress(done, total)
			}
		}
		q := &p.Run.Params[i]
		t := Tensor{Name: q.Name, Shape: q.Shape, Checked: len(numeric), NoGradient: zero(grads[i])}
		t.compare(grads[i], numeric, picks[i])
		rep.Tensors = append(rep.Tensors, t)
	}
	rep.Runs = w.runs
	return rep, nil
}

func orElse[T int | float64](x, other T) T {
	if x == 0 {
		return other
	}
	return x
}

// compare fills in the errors from the analytic gradient and the numeric one of
// the picked elements.
func (t *Tensor) compare(analytic, numeric []float64, picked []int) {
	var diff, a2, n2 float64
	for j, at := range picked {
		a, n := analytic[at], numeric[j]
		diff += (a - n) * (a - n)
		a2 += a * a
		n2 += n * n
	}
	size := math.Sqrt(max(a2, n2))
	t.Rel = ratio(math.Sqrt(diff), size)
	floor := size / math.Sqrt(float64(len(picked)))
	for j, at := range picked {
		a, n := analytic[at], numeric[j]
		e := ratio(math.Abs(a-n), max(math.Abs(a), math.Abs(n), floor))
		if j == 0 || e > t.Worst || math.IsNaN(e) {
			t.Worst, t.WorstIndex, t.Analytic, t.Numeric = e, at, a, n
		}
		if math.IsNaN(e) {
			return
		}
	}
}

// ratio is x/y, and 0 for nothing out of nothing.
func ratio(x, y float64) float64 {
	if x == 0 && y == 0 {
		return 0
	}
	return x / y
}

func zero(g []float64) bool {
	for _, x := range g {
		if x != 0 {
			return false
		}
	}
	return true
}

// scale is the size of a typical element. A tensor of zeros, such as a new bias,
// is given that of a small weight.
func scale(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	return max(0.01, math.Sqrt(sum/float64(len(x))))
}

// difference is the numeric gradient of element at of parameter i.
func (w *window) difference(i, at int, h float64) (float64, error) {
	x := w.params[i]
	value := x[at]
	defer func() { x[at] = value }()
	central := func(h float64) (float64, error) {
		var losses [2][]float64
		for k, to := range []float64{value + h, value - h} {
			x[at] = to
			if err := w.write(i); err != nil {
				return 0, err
			}
			l, err := w.losses()
			if err != nil {
				return 0, err
			}
			losses[k] = l
		}
		// Token by token, so that what does not change cancels exactly.
		sum := 0.0
		for r := range losses[0] {
			sum += losses[0][r] - losses[1][r]
		}
		return sum / (2 * h), nil
	}
	near, err := central(h)
	if err != nil {
		return 0, err
	}
	far, err := central(2 * h)
	if err != nil {
		return 0, err
	}
	x[at] = value
	if err := w.write(i); err != nil {
		return 0, fmt.Errorf("restore: %w", err)
	}
	return (4*near - far) / 3, nil
}
