// x[r] = table[ids[r]] (+ pos[positions[r]]): table [V,C], x [R,C]. pos, learned
// positions, may be absent; positions absent: r mod L. Four elements
// of a row a thread.
#include "storage.cuh"

template <class T>
GP_DEVICE void embed(T* x, const T* table, const T* pos, const int* ids, const int* positions, i64 R, i64 L, i64 C) {
	i64 quads = (C + 3) / 4, i = gp_thread(), r = i / quads, c = i % quads * 4;
	if (r >= R) return;
	bool aligned = C % 4 == 0;
	float v[4], p[4];
	gp_read(v, table + ids[r] * C, c, C, aligned);
	if (pos) {
		gp_read(p, pos + (positions ? positions[r] : (int)(r % L)) * C, c, C, aligned);
		GP_UNROLL
		for (int k = 0; k < 4; k++) v[k] += p[k];
	}
	gp_write(x + r * C, c, C, aligned, v);
}

#define ENTRY(N, T)                                                                                                                    \
	GP_KERNEL(256) embed_##N(T* x, const T* table, const T* pos, const int* ids, const int* positions, i64 R, i64 L, i64 C) { \
		embed(x, table, pos, ids, positions, R, L, C);                                                                           \
	}                                                                                                                              \
	GP_REGISTER(embed_##N)
GP_STORED(ENTRY)
