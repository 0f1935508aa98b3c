package exec

import (
	"math"

	"github.com/gradcue/gradcue/compiler/plan"
)

// Control is the control buffer: f64 slots, numbered by package plan.
type Control []float64

// Accumulate reports whether a gradient continues what is stored; false for the
// first micro-batch of a window that runs.
func (c Control) Accumulate() bool { return c[plan.CtlAcc] != 0 }

// Apply reports whether the update is made.
func (c Control) Apply() bool { return c[plan.CtlApply] != 0 }

// First reports whether the update is the first of the run (u = 1).
func (c Control) First() bool { return c[plan.CtlU] == 1 }

// Update is u, the number of the update being made, from 1.
func (c Control) Update() uint64 { return uint64(max(0, c[plan.CtlU])) }

// Seq0 is the index in the window of the micro-batch's first sequence.
func (c Control) Seq0() int { return int(c[plan.CtlSeq0]) }

// Clip decides on an update from norms[j] = Σ g̃_j² over each storage and the
// loss scale s in the control buffer:
//
//	norm   = sqrt(Σ_j norms[j])/s, j ascending
//	finite = norm is finite (a NaN or infinity in any gradient reaches it)
//	clip   = maxNorm/norm if 0 < maxNorm < norm, else 1
//	apply  = finite,  gscale = clip/s
//
// and writes the five into the control buffer.
func Clip(norms []float64, c Control, maxNorm float64) {
	sum := 0.0
	for _, n := range norms {
		sum += n
	}
	s := c[plan.CtlScale]
	norm := math.Sqrt(sum) / s
	finite := 0.0
	if !math.IsNaN(norm) && !math.IsInf(norm, 0) {
		finite = 1
	}
	clip := 1.0
	if maxNorm > 0 && norm > maxNorm {
		clip = maxNorm / norm
	}
	c[plan.CtlNorm], c[plan.CtlFinite], c[plan.CtlClip] = norm, finite, clip
	c[plan.CtlApply], c[plan.CtlGScale] = finite, clip/s
}
