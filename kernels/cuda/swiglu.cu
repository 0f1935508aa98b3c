// h = silu(g)·u for rows [g(F) | u(F)] of gu [R,2F], silu(g) = g σ(g) (Shazeer,
// arXiv:2002.05202), and its VJP for dh [R,F]:
//
//   dg = dh u (σ + g σ(1-σ)),  du = dh g σ
//
// Four elements of a row of h a thread.
#include "math.cuh"
#include "storage.cuh"

// The place of a thread: row r and column c of h.
struct swiglu_place {
	i64 r, c;
	GP_DEVICE_MEMBER swiglu_place(i64 F) {
		i64 quads = (F + 3) / 4, i = gp_thread();
		r = i / quads, c = i % quads * 4;
	}
};

template <class T> GP_DEVICE void swiglu(T* h, const T* gu, i64 R, i64 F) {
	swiglu_place at(F);
	if (at.r >= R) return;
	bool aligned = F % 4 == 0;
	float g[4], u[4];
	gp_read(g, gu + at.r * 2 * F, at.c, F, aligned);
	gp_read(u, gu + at.r * 2 * F + F, at.c, F, aligned);
	GP_UNROLL
	for (int k = 0; k < 4; k++) g[k] = g[k] * gp_sigmoid(g[k]) * u[k];
	gp_write(h + at.r * F, at.c, F, aligned, g);
}

template <class T> GP_DEVICE void swiglu_grad(T* dgu, const T* gu, const T* dh, i64 R, i64 F) {
	swiglu_place at(F);
	if (at.r >= R) return;
	bool aligned = F % 4 == 0;
	float g[4], u[4], d[4];
	gp_read(g, gu + at.r * 2 * F, at.c, F, aligned);
	gp_read(u, gu + at.r * 2 * F + F, at.c, F, aligned);
	gp_read(d, dh + at.r * F, at.c, F, aligned);
	GP_UNROLL
	for (int k = 0; k < 4; k++) {
		float s = gp_sigmoid(g[k]), dg = d[k] * u[k] * gp_fma(g[k] * s, 1.0f - s, s);
		u[k] = d[k] * g[k] * s;
		g[k] = dg;
	}
	gp_write(dgu + at.r * 2 * F, at.c, F, aligned, g);
	gp_write(dgu + at.r * 2 * F + F, at.c, F, aligned, u);
}

#define ENTRY(N, T)                                                                                                     \
	GP_KERNEL(256) swiglu_##N(T* h, const T* gu, i64 R, i64 F) { swiglu(h, gu, R, F); }                                   \
	GP_KERNEL(256) swiglu_grad_##N(T* dgu, const T* gu, const T* dh, i64 R, i64 F) { swiglu_grad(dgu, gu, dh, R, F); } \
	GP_REGISTER(swiglu_##N) GP_REGISTER(swiglu_grad_##N)
GP_STORED(ENTRY)
