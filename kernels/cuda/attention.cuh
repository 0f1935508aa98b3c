// What the kernels of attention share. Rows are packed [q H·D | k G·D | v G·D];
// head h of q reads group h/(H/G) of k and v; query i of a sequence of L sees the
// keys lo_i … i (lo absent: from 0).
//
// A block has 256 threads: 32 rows with eight threads each, and works on tiles of
// 32 queries by 32 keys. Tiles lie on a grid that starts with the sequence, so
// that bits depend on the sequence alone.
#pragma once
#include "math.cuh"
#include "storage.cuh"

const int ATTN = 32;            // queries and keys of a tile
const int ATTN_P = ATTN + 1;    // row stride of a tile of scores

// Row stride in floats of a tile of 32 rows of D: quads of eight neighbouring
// rows then fall into different banks.
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

	// first is the first key that a query of the tile from q0 sees.
	GP_DEVICE_MEMBER i64 first(i64 q0) const {
		i64 least = lo ? L : 0;
		for (i64 i = q0; lo && i < q0 + ATTN && i < L; i++)
			if (lo[i] < least) least = lo[i];
		return least;
	}
};

// attn_load puts 32 rows of D, from row r0 of a matrix of L rows, into shared
// memory; rows and columns that do not exist are zero.
template <class T> GP_DEVICE void attn_load(float* tile, const T* p, i64 stride, i64 r0, i64 L, int D) {
	int s = attn_stride(D), wide = s - 4;
	for (int e = threadIdx.x; e < ATTN * wide; e += 256) {
		int r = e / wide, d = e % wide;
		tile[r * s + d] = r0 + r < L && d < D ? gp_widen(p[(r0 + r) * stride + d]) : 0.0f;
	}
}

// attn_dots makes s[k] = row·rows[sub + 8k], k < 4, over D.
GP_DEVICE void attn_dots(float (&s)[4], const float* row, const float* rows, int sub, int D) {
	int stride = attn_stride(D);
	GP_UNROLL
	for (int k = 0; k < 4; k++) s[k] = 0.0f;
	for (int d = 0; d < D; d += 4) {
		gp_float4 a = *(const gp_float4*)(row + d);
		GP_UNROLL
		for (int k = 0; k < 4; k++) {
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
	for (int j = 0; j < ATTN; j++)
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
	for (int c = 0; c < W / 32; c++)
		GP_UNROLL
		for (int i = 0; i < 4; i++) {
			int d = c * 32 + sub * 4 + i;
			if (d < D) gp_narrow(&row[d], acc[c * 4 + i] * f);
		}
}

// The entry points of a kernel: heads up to 64, 128 and 256 wide.
#define ATTN_WIDTHS(M, N, T) M(N, T, 64) M(N, T, 128) M(N, T, 256)
