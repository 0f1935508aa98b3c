package kerneltest

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/gradcue/gradcue/kernels/cpu"
)

// tolerance bounds the relative error against the reference, by tensor; elementTolerance element by element, relative to
// the element or the root mean square of its tensor, whichever is greater.
const (
	tolerance        = 1e-5
	elementTolerance = 1e-4
)

// Case is one kernel on one input: run returns all outputs of the kernel on the workers of p, want those of the reference.
// exact lists the outputs whose zeros must be zeros: what is masked, dropped or padded, not merely small.
type Case struct {
	Name  string
	exact []int
	run   func(k Kernels, p cpu.Par) []f32
	want  func() []f64
}

// Same is one equality of bits that does not need the reference: both sides return the same outputs.
type Same struct {
	Name      string
	got, want func(k Kernels) []f32
}

// Conform runs the whole suite.
func Conform(t *testing.T, k Kernels) {
	t.Helper()
	if missing := Missing(k); missing != nil {
		t.Fatalf("kernels without implementation: %v", missing)
	}
	for _, c := range Cases() {
		t.Run(c.Name, func(t *testing.T) {
			for _, f := range c.Check(k) {
				t.Error(f)
			}
		})
	}
	for _, s := range Equalities() {
		t.Run(s.Name, func(t *testing.T) {
			for _, f := range s.Check(k) {
				t.Error(f)
			}
		})
	}
}

// Missing names the fields of k that are nil.
func Missing(k Kernels) []string {
	var names []string
	v := reflect.ValueOf(k)
	for i := range v.NumField() {
		if v.Field(i).IsNil() {
			names = append(names, v.Type().Field(i).Name)
		}
	}
	return names
}

// Cases are all comparisons with the reference; each is checked for equal bits over workers as well.
func Cases() []Case {
	var all []Case
	for _, group := range [][]Case{
		linearCases(), elementwiseCases(), normCases(), ropeCases(), attentionCases(), embedCases(), headCases(), updateCases(),
	} {
		all = append(all, group...)
	}
	return all
}

// Equalities are all equalities of bits between kernels, and between splits of the rows.
func Equalities() []Same {
	return append(splitEqualities(), fusedEqualities()...)
}

// Check returns what is wrong with the kernels in this case.
func (c Case) Check(k Kernels) []string {
	got := c.run(k, cpu.Serial{})
	want := c.want()
	failures := compare("against the reference", got, want)
	for _, o := range c.exact {
		failures = append(failures, equalZeros(fmt.Sprintf("output %d", o), got[o], want[o])...)
	}
	for _, p := range []cpu.Par{Pool(1), Pool(2), Pool(3), Uneven{}} {
		failures = append(failures, equalBits(fmt.Sprintf("%T of %d workers against one", p, p.Workers()), c.run(k, p), got)...)
	}
	return failures
}

// Check returns what is wrong with the kernels in this equality.
func (s Same) Check(k Kernels) []string {
	return equalBits("bits", s.got(k), s.want(k))
}

// compare holds outputs against the reference.
func compare(what string, got []f32, want []f64) []string {
	var failures []string
	for o := range want {
		if len(got[o]) != len(want[o]) {
			failures = append(failures, fmt.Sprintf("%s: output %d has %d elements, want %d", what, o, len(got[o]), len(want[o])))
			continue
		}
		failures = append(failures, compareOne(fmt.Sprintf("%s: output %d", what, o), got[o], want[o])...)
	}
	return failures
}

// compareOne holds one tensor against the reference.
func compareOne(what string, got f32, want f64) []string {
	var diff, a, n float64
	for i, w := range want {
		g := float64(got[i])
		if math.IsInf(w, 0) && g == w {
			continue
		}
		diff += (g - w) * (g - w)
		a += g * g
		n += w * w
	}
	scale := math.Sqrt(max(a, n))
	if diff > 0 && !(math.Sqrt(diff) <= tolerance*scale) || math.IsNaN(diff) {
		return []string{fmt.Sprintf("%s: relative error %.3g, want at most %g", what, math.Sqrt(diff)/scale, tolerance)}
	}
	rms := scale / math.Sqrt(float64(max(1, len(want))))
	for i, w := range want {
		g := float64(got[i])
		if d := math.Abs(g - w); d > elementTolerance*max(math.Abs(w), rms) {
			return []string{fmt.Sprintf("%s: element %d is %g, want %g", what, i, g, w)}
		}
	}
	return nil
}

// equalZeros finds elements that should be exactly 0.
func equalZeros(what string, got f32, want f64) []string {
	for i, w := range want {
		if w == 0 && got[i] != 0 {
			return []string{fmt.Sprintf("%s: element %d is %g, want exactly 0", what, i, got[i])}
		}
	}
	return nil
}

// equalBits holds outputs against outputs, to the bit.
func equalBits(what string, got, want []f32) []string {
	for o := range want {
		for i, w := range want[o] {
			if g := got[o][i]; math.Float32bits(g) != math.Float32bits(w) {
				return []string{fmt.Sprintf("%s: output %d, element %d of %d is %x (%g), want %x (%g)",
					what, o, i, len(want[o]), math.Float32bits(g), g, math.Float32bits(w), w)}
			}
		}
	}
	return nil
}
