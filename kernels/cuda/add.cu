// y[i] = a[i] + b[i], i < n. One pack of 16 bytes a thread.
#include "storage.cuh"

template <class T> GP_DEVICE void add(T* y, const T* a, const T* b, i64 n) {
	i64 i = gp_thread() * gp_pack<T>::n;
	if (i >= n) return;
	gp_pack<T> s = gp_get(a, i, n), t = gp_get(b, i, n);
	for (int k = 0; k < s.n; k++) s.v[k] += t.v[k];
	gp_put(y, i, n, s);
}

#define ENTRY(N, T)                                                              \
	GP_KERNEL(256) add_##N(T* y, const T* a, const T* b, i64 n) { add(y, a, b, n); } \
	GP_REGISTER(add_##N)
GP_STORED(ENTRY)
