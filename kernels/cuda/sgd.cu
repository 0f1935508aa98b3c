// SGD (Sutskever et al., ICML 2013, as PyTorch) on w f32[n] and its momentum m
// from the gradient g, where the update is applied:
//
//   d = gscale g + decay w;  m = first ? d : μ m + d
//   w -= η (nesterov ? d + μ m : m),  η = η_u lrScale
//
// first is u = 1; m absent: w -= η d. Four elements a thread.
#include "control.cuh"
#include "storage.cuh"

GP_KERNEL(256) sgd(float* w, const float* g, float* m, const double* ctl, i64 n, double decay, double lrScale, double momentum, i64 nesterov) {
	i64 i = gp_thread() * 4;
	if (i >= n || ctl[CTL_APPLY] == 0.0) return;
	float lr = (float)(ctl[CTL_LR] * lrScale), gs = (float)ctl[CTL_GSCALE], wd = (float)decay, mu = (float)momentum;
	bool first = ctl[CTL_U] == 1.0;
	gp_pack<float> pw = gp_get(w, i, n), pg = gp_get(g, i, n), pm;
	for (int k = 0; k < 4; k++) pm.v[k] = 0.0f;
	if (m && mu != 0.0f && !first) pm = gp_get(m, i, n);
	for (int k = 0; k < 4; k++) {
		float d = gp_fma(pg.v[k], gs, wd * pw.v[k]);
		pm.v[k] = gp_fma(mu, pm.v[k], d);
		if (m && mu != 0.0f) d = nesterov ? gp_fma(mu, pm.v[k], d) : pm.v[k];
		pw.v[k] = gp_fma(-lr, d, pw.v[k]);
	}
	gp_put(w, i, n, pw);
	if (m && mu != 0.0f) gp_put(m, i, n, pm);
}
GP_REGISTER(sgd)
