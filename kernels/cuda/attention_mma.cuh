// Attention on the tensor cores, for 16-bit storage and heads of a multiple of
// eight up to 128: what its kernels share. A block has four warps; each has 16 of
// the 64 rows of a tile (queries, or keys in attention_dkv_mma) against all
// columns. Probabilities and their gradients are rounded to the storage type
// where they are operands of a product; sums are f32. Exponentials are the
// machine's powers of two, so scores are multiplied by log2(e) with their scale.
// Tiles lie on a grid that starts with the sequence, so that bits depend on the
// sequence alone.
#pragma once
#include "attention.cuh"
#include "mma.cuh"

const int ATTM = 64; // rows of a tile
const float ATTM_LOG2E = 1.44269504088896340736f, ATTM_LN2 = 0.69314718055994530942f;

// Row stride of a tile of heads up to W wide: rows fall into different banks.
template <int W> struct attm_tile { static const int stride = W + 8; };

// attm_load starts the copies of N rows of D from row r0 of a matrix of L rows;
// what does not exist is zero.
template <int W, int N, class T> GP_DEVICE void attm_load(T* tile, const T* p, i64 ld, i64 r0, i64 L, i64 D) {
	const int apart = 128 / (W / 8); // rows between two pieces of a thread
	int r = threadIdx.x / (W / 8), d = threadIdx.x % (W / 8) * 8, rows = d < D ? (int)(L - r0) - r : 0;
	const T* from = p + (r0 + r) * ld + d;
	T* to = tile + r * attm_tile<W>::stride + d;
	GP_UNROLL
	for (int n = 0; n < N / apart; n++) gp_copy_async(to + n * apart * attm_tile<W>::stride, from + n * apart * ld, n * apart < rows);
}

// attm_landed waits for all copies of the block.
GP_DEVICE void attm_landed() {
	gp_copy_commit();
	gp_copy_wait<0>();
	__syncthreads();
}

// Columns from D on are zero in a tile; heads wider than 64 leave them out.

// attm_scores makes s = the products of the warp's 16 rows of a with N rows of b.
template <int W, int N, class T> GP_DEVICE void attm_scores(float (&s)[N / 8][4], const T* a, const T* b, i64 D) {
	const int stride = attm_tile<W>::stride;
	GP_UNROLL
	for (int j = 0; j < N / 8; j++)
		GP_UNROLL
		for (int e = 0; e < 4; e++) s[j][e] = 0.0f;
	GP_UNROLL
	for (int k = 0; k < W; k += 16) {
		if (W > 64 && k >= D) continue;
		u32 x[4], y[4];
		mma_left<T, false>(x, a, stride, threadIdx.x / 32 * 16, k);
		GP_UNROLL
		for (int j = 0; j < N; j += 16) {
			mma_right<T, false>(y, b, stride, j, k);
			gp_mma(T, s[j / 8], x, y[0], y[1]);
			gp_mma(T, s[j / 8 + 1], x, y[2], y[3]);
		}
	}
}

// attm_pack rounds scores of 16 rows and N columns into operands on the left.
template <int N, class T> GP_DEVICE void attm_pack(u32 (&p)[N / 16][4], const float (&s)[N / 8][4]) {
	GP_UNROLL
	for (int k = 0; k < N / 16; k++)
		GP_UNROLL
		for (int i = 0; i < 4; i++) p[k][i] = gp_narrow_two<T>(s[2 * k + i / 2][i % 2 * 2], s[2 * k + i / 2][i % 2 * 2 + 1]);
}

// attm_add adds the products of such an operand with N rows of b, D wide.
template <int W, int N, class T> GP_DEVICE void attm_add(float (&acc)[W / 8][4], const u32 (&p)[N / 16][4], const T* b, i64 D) {
	GP_UNROLL
	for (int k = 0; k < N / 16; k++)
		GP_UNROLL
		for (int d = 0; d < W; d += 16) {
			if (W > 64 && d >= D) continue;
			u32 y[4];
			mma_right<T, true>(y, b, attm_tile<W>::stride, d, 16 * k);
			gp_mma(T, acc[d / 8], p[k], y[0], y[1]);
			gp_mma(T, acc[d / 8 + 1], p[k], y[2], y[3]);
		}
}

// attm_store writes row half (0 or 1) of the thread's rows, times f, two
// neighbours at once: D is even.
template <int W, class T> GP_DEVICE void attm_store(T* row, const float (&acc)[W / 8][4], int half, float f, i64 D) {
	GP_UNROLL
	for (int d = 0; d < W / 8; d++) {
		int c = 8 * d + (threadIdx.x & 3) * 2;
		if (c < D) *(gp_one*)(row + c) = gp_one{gp_narrow_two<T>(acc[d][2 * half] * f, acc[d][2 * half + 1] * f)};
	}
}

template <int W> GP_DEVICE void attm_clear(float (&acc)[W / 8][4]) {
	GP_UNROLL
	for (int d = 0; d < W / 8; d++)
		GP_UNROLL
		for (int e = 0; e < 4; e++) acc[d][e] = 0.0f;
}
