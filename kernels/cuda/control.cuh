// The control buffer, f64[32]: what changes between two runs of a section. The
// host writes the first group before a section, clip the second.
#pragma once
#include "gp.cuh"

enum {
	CTL_C,     // c = f32(s/N), the factor of the loss gradient
	CTL_ACC,   // 0 for the first micro-batch that runs (store), 1 later (continue)
	CTL_SCALE, // s
	CTL_LR,    // η_u
	CTL_BC1,   // 1 − β1^u
	CTL_BC2,   // 1 − β2^u
	CTL_U,     // u of the update being made, from 1
	CTL_SEQ0,  // index in the window of the micro-batch's first sequence

	CTL_NORM,   // global norm of g = g̃/s before clipping
	CTL_FINITE, // 1 when every gradient is finite
	CTL_CLIP,   // clip factor
	CTL_APPLY,  // 1 when the update is made
	CTL_GSCALE, // factor on the stored gradient: clip/s
};

// Whether a gradient continues what is stored.
GP_DEVICE bool gp_accumulate(const double* ctl) { return ctl[CTL_ACC] != 0.0; }
