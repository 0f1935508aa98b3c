// Sums over the rows of a column, each one chain in row order:
// sum[c] (+)= Σ_r value(r,c). A block of 256 threads owns 32 columns; its eight
// warps read 64 rows at a time into shared memory, where one warp a sum walks
// down the column while the others read on.
#pragma once
#include "control.cuh"

const int COLUMN_ROWS = 64; // rows of a tile

// Dynamic shared memory of a block with n sums: two tiles each.
#define COLUMN_SHARED(n) (2 * (n) * COLUMN_ROWS * 32 * 4)

// gp_columns makes N sums at once; value(r, c, v) sets the N values of a place.
template <int N, class F>
GP_DEVICE void gp_columns(float* const (&sum)[N], const double* ctl, i64 R, i64 C, const F& value) {
	GP_DYNSHARED(float, tile); // [2][N][COLUMN_ROWS][32]
	int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	i64 c = (i64)blockIdx.x * 32 + lane;
	float acc = 0.0f;
	float* own = nullptr;
	for (int s = 0; s < N; s++)
		if (warp == s) own = sum[s];
	if (own && c < C && gp_accumulate(ctl)) acc = own[c];
	for (i64 r0 = 0, buffer = 0; r0 < R; r0 += COLUMN_ROWS, buffer ^= 1) {
		float* t = tile + buffer * N * COLUMN_ROWS * 32;
		for (int k = 0; k < COLUMN_ROWS / 8; k++) {
			int row = warp * (COLUMN_ROWS / 8) + k;
			float v[N];
			for (int s = 0; s < N; s++) v[s] = 0.0f;
			if (r0 + row < R && c < C) value(r0 + row, c, v);
			for (int s = 0; s < N; s++) t[(s * COLUMN_ROWS + row) * 32 + lane] = v[s];
		}
		__syncthreads();
		if (own) {
			int rows = R - r0 < COLUMN_ROWS ? (int)(R - r0) : COLUMN_ROWS;
			for (int row = 0; row < rows; row++) acc += t[(warp * COLUMN_ROWS + row) * 32 + lane];
		}
	}
	if (own && c < C) own[c] = acc;
}
