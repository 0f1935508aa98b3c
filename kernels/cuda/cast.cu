// w[i] = x[i] rounded to the storage type of w, i < n: the parameter that
// products read, from its master copy. One pack of w a thread.
#include "storage.cuh"

template <class T> GP_DEVICE void cast(T* w, const float* x, i64 n) {
	i64 i = gp_thread() * gp_pack<T>::n;
	if (i >= n) return;
	gp_pack<T> r;
	for (int k = 0; k < r.n; k += 4) {
		gp_pack<float> p = gp_get(x, i + k, n);
		for (int j = 0; j < 4; j++) r.v[k + j] = p.v[j];
	}
	gp_put(w, i, n, r);
}

#define ENTRY(N, T)                                                        \
	GP_KERNEL(256) cast_##N(T* w, const float* x, i64 n) { cast(w, x, n); } \
	GP_REGISTER(cast_##N)
GP_STORED(ENTRY)
