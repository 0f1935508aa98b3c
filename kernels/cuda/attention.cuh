// What the kernels of attention share. Rows are packed [q H·D | k G·D | v G·D];
// head h of q reads group h/(H/G) of k and v; query i of a sequence of L sees the
// keys lo_i … i (lo absent: from 0).
//
// A block works on tiles of 32 queries by 32 keys, or of 16 by 16 where heads are
// wider than 64, and has eight threads for each row. Tiles lie on a grid that
// starts with the sequence, so that bits depend on the sequence alone.
#pragma once
#include "math.cuh"
#include "storage.cuh"

// ATTN(W) is the number of queries and of keys of a tile of heads up to W wide.
#define ATTN(W) ((W) <= 64 ? 32 : 16)

// Row stride in floats of a tile of rows of D: quads of eight neighbouring rows
// then fall into different banks.
GP_DEVICE int attn_stride(int D) { return (D + 3) / 4 * 4 + 4; }

// One sequence of one application.
template <class T> struct attn_sequence {
	const T* qkv;  // row 0 of the sequence
	const int* lo; // or null
	i64 L, H, G, D;

	GP_DEVICE_MEMBER i64 width() const { return (H + 2 * G) * D; }
	GP_DEVICE_MEMBER i64 query(i64 h) const { return h * D; }
	GP_DEVICE_MEMBER i64 key(i64 g) const { return (H + g) * D; }
	GP_DEVICE_MEMBER i64 value(i64 g) const { return (H + G + g) * D; }
	GP_DEVICE_MEMBER bool sees(i64 i, i64 j) const { return i < L && j <= i && (!lo || j >= lo[i]); }

	// first is the first key that one of N queries from q0 sees, for a warp together.
	template <int N> GP_DEVICE_MEMBER int first(i64 q0) const {
		if (!lo) return 0;
		int least = (int)L;
		GP_UNROLL
		for (int r = 0; r < N; r += 32) {
			i64 i = q0 + r + (threadIdx.x & 31);
			int own = (int)(threadIdx.x & 31) < N && i < L ? lo[i] : (int)L;
			least = own < least ? own : least;
		}
		return gp_warp_min(least);
	}
};

// attn_load puts the rows of a tile, from row r0 of a matrix of L rows, into
// shared memory; rows and columns that do not exist are zero.
template <int W, class T> GP_DEVICE void attn_load(float* tile, const T* p, i64 stride, i64 r0, i64 L, int D) {
	int s = attn_stride(D), r = threadIdx.x / 8;
	bool exists = r0 + r < L;
	for (int d = threadIdx.x % 8 * 4; d < D; d += 32) {
		float v[4];
		gp_read(v, p + (exists ? r0 + r : 0) * stride, d, exists ? D : 0, D % 4 == 0);
		*(gp_float4*)(tile + r * s + d) = gp_float4{{v[0], v[1], v[2], v[3]}};
	}
}

// attn_dots makes s[k] = row·rows[sub + 8k], k < N, over D.
template <int N> GP_DEVICE void attn_dots(float (&s)[N], const float* row, const float* rows, int sub, int D) {
	int stride = attn_stride(D);
	GP_UNROLL
	for (int k = 0; k < N; k++) s[k] = 0.0f;
	for (int d = 0; d < D; d += 4) {
		gp_float4 a = *(const gp_float4*)(row + d);
		GP_UNROLL
		for (int k = 0; k < N; k++) {
			gp_float4 b = *(const gp_float4*)(rows + (sub + 8 * k) * stride + d);
			GP_UNROLL
			for (int i = 0; i < 4; i++) s[k] = gp_fma(a.v[i], b.v[i], s[k]);
		}
	}
}

// attn_add adds Σ_j p[j] rows[j] to a row of which each of the eight threads
// holds the quads sub, sub+8, …; W is the widest head of the kernel.
template <int W> GP_DEVICE void attn_add(float (&acc)[W / 8], const float* p, const float* rows, int sub, int D) {
	int stride = attn_stride(D);
	for (int j = 0; j < ATTN(W); j++)
		GP_UNROLL
		for (int c = 0; c < W / 32; c++) {
			if (c * 32 + sub * 4 >= D) continue;
			gp_float4 v = *(const gp_float4*)(rows + j * stride + c * 32 + sub * 4);
			GP_UNROLL
			for (int i = 0; i < 4; i++) acc[c * 4 + i] = gp_fma(p[j], v.v[i], acc[c * 4 + i]);
		}
}

// attn_store writes such a row, times f.
template <int W, class T> GP_DEVICE void attn_store(T* row, const float (&acc)[W / 8], float f, int sub, int D) {
	GP_UNROLL
	for (int c = 0; c < W / 32; c++) {
		float v[4];
		GP_UNROLL
		for (int i = 0; i < 4; i++) v[i] = acc[c * 4 + i] * f;
		gp_write(row, c * 32 + sub * 4, D, D % 4 == 0, v);
	}
}

// The entry points of a kernel: heads up to 64, 128 and 256 wide.
#define ATTN_WIDTHS(M, N, T) M(N, T, 64) M(N, T, 128) M(N, T, 256)
