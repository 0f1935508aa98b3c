// A product C[m,n] (+)= Σ_k A(m,k) B(n,k) of 16-bit operands on the tensor cores,
// summed in f32, k ascending in steps of 16. A block of 256 threads makes a tile
// of 128×128: eight warps of 64×32 each, in steps of 32 of k that three stages of
// cp.async bring in ahead. Rows of both operands and of shared memory are read 16
// bytes at a time, so the row length of both is a multiple of eight and their
// addresses of 16; anything else is for gemm.cuh.
#pragma once
#include "mma.cuh"

const int MMA_TILE = 128, MMA_STEP = 32, MMA_STAGES = 3;

// Row strides in shared memory: 8 rows of 16 bytes fall into different banks.
const int MMA_ALONG = MMA_STEP + 8;   // [row][k]
const int MMA_ACROSS = MMA_TILE + 8;  // [k][row]
const int MMA_PLACE = MMA_TILE * MMA_ALONG; // elements of a tile in shared memory, the larger of the two

// A matrix as an operand: element (row,k) is at p[row·ld + k], or p[k·ld + row]
// when across. ld is the row length.
template <class T, bool across> struct mma_operand {
	const T* p;
	i64 rows, ld;

	// load starts the copies of one tile; what does not exist is zero.
	GP_DEVICE_MEMBER void load(T* tile, i64 row0, i64 k0, i64 K) const {
		const int wide = (across ? MMA_TILE : MMA_STEP) / 8, stride = across ? MMA_ACROSS : MMA_ALONG;
		GP_UNROLL
		for (int n = 0; n < 2; n++) { // 512 pieces of 16 bytes
			int e = (int)threadIdx.x + 256 * n, outer = e / wide, inner = e % wide * 8;
			T* to = tile + outer * stride + inner;
			i64 row = row0 + (across ? inner : outer), k = k0 + (across ? outer : inner);
			if (row < rows && k < K) gp_copy_async(to, p + (across ? k * ld + row : row * ld + k));
			else *(gp_quad*)to = gp_quad{{0u, 0u, 0u, 0u}};
		}
	}

	// left is the 16×16 piece at (row,k) as A.
	static GP_DEVICE_MEMBER void left(u32 (&r)[4], const T* tile, int row, int k) {
		int lane = threadIdx.x & 31, i = lane & 7, group = lane >> 3;
		if constexpr (across) gp_ldmatrix(true, r, tile + (k + i + (group >> 1) * 8) * MMA_ACROSS + row + (group & 1) * 8);
		else gp_ldmatrix(false, r, tile + (row + i + (group & 1) * 8) * MMA_ALONG + k + (group >> 1) * 8);
	}

	// right is the piece of 16 rows and 16 k at (row,k) as two B: registers 0, 1
	// for the first eight rows, 2, 3 for the others.
	static GP_DEVICE_MEMBER void right(u32 (&r)[4], const T* tile, int row, int k) {
		int lane = threadIdx.x & 31, i = lane & 7, group = lane >> 3;
		if constexpr (across) gp_ldmatrix(true, r, tile + (k + i + (group & 1) * 8) * MMA_ACROSS + row + (group >> 1) * 8);
		else gp_ldmatrix(false, r, tile + (row + i + (group >> 1) * 8) * MMA_ALONG + k + (group & 1) * 8);
	}
};

// gemm_mma makes the tile of the block: grid (⌈N/128⌉, ⌈M/128⌉). begin(m,n) is the
// start of a sum, end(m,n,acc) takes it.
template <class T, bool ACROSS, bool BCROSS, class Begin, class End>
GP_DEVICE void gemm_mma(const mma_operand<T, ACROSS>& A, const mma_operand<T, BCROSS>& B, i64 K, const Begin& begin, const End& end) {
	GP_DYNSHARED(T, shared); // [stages][A, B][MMA_PLACE]
	int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, wm = warp / 4 * 64, wn = warp % 4 * 32;
	i64 m0 = (i64)blockIdx.y * MMA_TILE, n0 = (i64)blockIdx.x * MMA_TILE, steps = (K + MMA_STEP - 1) / MMA_STEP;
	i64 mine = m0 + wm + lane / 4, own = n0 + wn + lane % 4 * 2; // of element 0
	float acc[4][4][4];
	GP_UNROLL
	for (int i = 0; i < 4; i++)
		GP_UNROLL
		for (int j = 0; j < 4; j++)
			GP_UNROLL
			for (int e = 0; e < 4; e++) {
				i64 m = mine + 16 * i + e / 2 * 8, n = own + 8 * j + e % 2;
				acc[i][j][e] = m < A.rows && n < B.rows ? begin(m, n) : 0.0f;
			}
	for (int s = 0; s < MMA_STAGES - 1; s++) {
		if (s < steps) {
			A.load(shared + 2 * s * MMA_PLACE, m0, s * MMA_STEP, K);
			B.load(shared + (2 * s + 1) * MMA_PLACE, n0, s * MMA_STEP, K);
		}
		gp_copy_commit(); // empty groups keep the count
	}
	for (i64 step = 0; step < steps; step++) {
		gp_copy_wait<MMA_STAGES - 2>();
		__syncthreads(); // the tiles of this step are there, those of the last one are free
		i64 ahead = step + MMA_STAGES - 1;
		if (ahead < steps) {
			T* to = shared + ahead % MMA_STAGES * 2 * MMA_PLACE;
			A.load(to, m0, ahead * MMA_STEP, K);
			B.load(to + MMA_PLACE, n0, ahead * MMA_STEP, K);
		}
		gp_copy_commit();
		const T *a = shared + step % MMA_STAGES * 2 * MMA_PLACE, *b = a + MMA_PLACE;
		GP_UNROLL
		for (int k = 0; k < MMA_STEP; k += 16) {
			u32 x[4][4], y[2][4];
			GP_UNROLL
			for (int i = 0; i < 4; i++) A.left(x[i], a, wm + 16 * i, k);
			GP_UNROLL
			for (int j = 0; j < 2; j++) B.right(y[j], b, wn + 16 * j, k);
			GP_UNROLL
			for (int i = 0; i < 4; i++)
				GP_UNROLL
				for (int j = 0; j < 4; j++) gp_mma(T, acc[i][j], x[i], y[j / 2][j % 2 * 2], y[j / 2][j % 2 * 2 + 1]);
		}
	}
	GP_UNROLL
	for (int i = 0; i < 4; i++)
		GP_UNROLL
		for (int j = 0; j < 4; j++)
			GP_UNROLL
			for (int e = 0; e < 4; e++) {
				i64 m = mine + 16 * i + e / 2 * 8, n = own + 8 * j + e % 2;
				if (m < A.rows && n < B.rows) end(m, n, acc[i][j][e]);
			}
}
