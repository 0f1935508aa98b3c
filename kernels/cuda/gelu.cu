// y[i] = gelu(x[i]) and its VJP dx[i] = dy[i] gelu'(x[i]), i < n; tanh chooses
// the form. One pack of 16 bytes a thread.
#include "gelu.cuh"
#include "storage.cuh"

template <class T> GP_DEVICE void gelu(T* y, const T* x, i64 n, bool tanh) {
	i64 i = gp_thread() * gp_pack<T>::n;
	if (i >= n) return;
	gp_pack<T> p = gp_get(x, i, n);
	for (int k = 0; k < p.n; k++) p.v[k] = gp_gelu(p.v[k], tanh);
	gp_put(y, i, n, p);
}

template <class T> GP_DEVICE void gelu_grad(T* dx, const T* x, const T* dy, i64 n, bool tanh) {
	i64 i = gp_thread() * gp_pack<T>::n;
	if (i >= n) return;
	gp_pack<T> p = gp_get(x, i, n), d = gp_get(dy, i, n);
	for (int k = 0; k < p.n; k++) p.v[k] = d.v[k] * gp_gelu_slope(p.v[k], tanh);
	gp_put(dx, i, n, p);
}

#define ENTRY(N, T)                                                                                                       \
	GP_KERNEL(256) gelu_##N(T* y, const T* x, i64 n, i64 tanh) { gelu(y, x, n, tanh != 0); }                               \
	GP_KERNEL(256) gelu_grad_##N(T* dx, const T* x, const T* dy, i64 n, i64 tanh) { gelu_grad(dx, x, dy, n, tanh != 0); } \
	GP_REGISTER(gelu_##N) GP_REGISTER(gelu_grad_##N)
GP_STORED(ENTRY)
