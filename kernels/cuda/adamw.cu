// AdamW (Loshchilov & Hutter, arXiv:1711.05101; decay first, eps outside the
// root) on w, m, v f32[n] from the gradient g, where the update is applied:
//
//   d = g gscale;  m = β1 m + (1-β1) d;  v = β2 v + (1-β2) d²
//   w = w (1 - η decay) - η/BC1 · m/(√v/√BC2 + eps),  η = η_u lrScale
//
// The scalars are combined in f64 and rounded once. Four elements a thread.
#include "control.cuh"
#include "storage.cuh"

GP_KERNEL(256) adamw(float* w, const float* g, float* m, float* v, const double* ctl, i64 n, double beta1, double beta2, double eps, double decay, double lrScale) {
	i64 i = gp_thread() * 4;
	if (i >= n || ctl[CTL_APPLY] == 0.0) return;
	double lr = ctl[CTL_LR] * lrScale;
	float keep = (float)(1.0 - lr * decay), gs = (float)ctl[CTL_GSCALE], step = (float)(lr / ctl[CTL_BC1]);
	float root = gp_sqrt((float)ctl[CTL_BC2]), e = (float)eps;
	float b1 = (float)beta1, n1 = (float)(1.0 - beta1), b2 = (float)beta2, n2 = (float)(1.0 - beta2);
	gp_pack<float> pw = gp_get(w, i, n), pg = gp_get(g, i, n), pm = gp_get(m, i, n), pv = gp_get(v, i, n);
	for (int k = 0; k < 4; k++) {
		float d = pg.v[k] * gs;
		pm.v[k] = gp_fma(b1, pm.v[k], n1 * d);
		pv.v[k] = gp_fma(b2, pv.v[k], n2 * (d * d));
		pw.v[k] = gp_fma(pw.v[k], keep, -(step * (pm.v[k] / (gp_sqrt(pv.v[k]) / root + e))));
	}
	gp_put(w, i, n, pw);
	gp_put(m, i, n, pm);
	gp_put(v, i, n, pv);
}
GP_REGISTER(adamw)
