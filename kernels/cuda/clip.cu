// The decision on an update, by one thread, from norms[j] = Σ g̃_j² over each
// storage and the loss scale s:
//
//   norm   = √(Σ_j norms[j])/s, j ascending
//   finite = norm is finite: a NaN or infinity in any gradient reaches it
//   clip   = maxNorm/norm if 0 < maxNorm < norm, else 1
//   apply  = finite,  gscale = clip/s
#include "control.cuh"

GP_KERNEL(1) clip(const double* norms, double* ctl, i64 n, double maxNorm) {
	double sum = 0.0, s = ctl[CTL_SCALE], factor = 1.0;
	for (i64 j = 0; j < n; j++) sum += norms[j];
	double norm = gp_sqrt(sum) / s;
	double finite = norm - norm == 0.0 ? 1.0 : 0.0;
	if (maxNorm > 0.0 && norm > maxNorm) factor = maxNorm / norm;
	ctl[CTL_NORM] = norm;
	ctl[CTL_FINITE] = finite;
	ctl[CTL_CLIP] = factor;
	ctl[CTL_APPLY] = finite;
	ctl[CTL_GSCALE] = factor / s;
}
GP_REGISTER(clip)
