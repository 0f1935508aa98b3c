// x[r] = table[ids[r]] (+ pos[positions[r]]): table [V,C], x [R,C]. pos, learned
// positions, may be absent; positions absent: r mod L. One element a thread.
#include "storage.cuh"

template <class T>
GP_DEVICE void embed(T* x, const T* table, const T* pos, const int* ids, const int* positions, i64 R, i64 L, i64 C) {
	i64 i = gp_thread();
	if (i >= R * C) return;
	i64 r = i / C, c = i % C;
	float v = gp_widen(table[ids[r] * C + c]);
	if (pos) v += gp_widen(pos[(positions ? positions[r] : (int)(r % L)) * C + c]);
	gp_narrow(&x[i], v);
}

#define ENTRY(N, T)                                                                                                                    \
	GP_KERNEL(256) embed_##N(T* x, const T* table, const T* pos, const int* ids, const int* positions, i64 R, i64 L, i64 C) { \
		embed(x, table, pos, ids, positions, R, L, C);                                                                           \
	}                                                                                                                              \
	GP_REGISTER(embed_##N)
GP_STORED(ENTRY)
