// h = silu(g)·u for rows [g(F) | u(F)] of gu [R,2F], silu(g) = g σ(g) (Shazeer,
// arXiv:2002.05202), and its VJP for dh [R,F]:
//
//   dg = dh u (σ + g σ(1-σ)),  du = dh g σ
//
// One element of h a thread.
#include "math.cuh"
#include "storage.cuh"

template <class T> GP_DEVICE void swiglu(T* h, const T* gu, i64 R, i64 F) {
	i64 i = gp_thread();
	if (i >= R * F) return;
	i64 at = i / F * 2 * F + i % F;
	float g = gp_widen(gu[at]), u = gp_widen(gu[at + F]);
	gp_narrow(&h[i], g * gp_sigmoid(g) * u);
}

template <class T> GP_DEVICE void swiglu_grad(T* dgu, const T* gu, const T* dh, i64 R, i64 F) {
	i64 i = gp_thread();
	if (i >= R * F) return;
	i64 at = i / F * 2 * F + i % F;
	float g = gp_widen(gu[at]), u = gp_widen(gu[at + F]), d = gp_widen(dh[i]);
	float s = gp_sigmoid(g);
	gp_narrow(&dgu[at], d * u * gp_fma(g * s, 1.0f - s, s));
	gp_narrow(&dgu[at + F], d * g * s);
}

#define ENTRY(N, T)                                                                                                     \
	GP_KERNEL(256) swiglu_##N(T* h, const T* gu, i64 R, i64 F) { swiglu(h, gu, R, F); }                                   \
	GP_KERNEL(256) swiglu_grad_##N(T* dgu, const T* gu, const T* dh, i64 R, i64 F) { swiglu_grad(dgu, gu, dh, R, F); } \
	GP_REGISTER(swiglu_##N) GP_REGISTER(swiglu_grad_##N)
GP_STORED(ENTRY)
