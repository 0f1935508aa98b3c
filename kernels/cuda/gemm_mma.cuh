// A product C[m,n] (+)= Σ_k A(m,k) B(n,k) of 16-bit operands on the tensor cores,
// summed in f32, k ascending in steps of 16. A block of 256 threads makes a tile
// of 128×128: eight warps of 64×32 each, in steps of 32 of k that three stages of
// cp.async bring in ahead. Rows of both operands and of shared memory are read 16
// bytes at a time, so the row length of both is a multiple of eight and their
// addresses of 16; anything else is for gemm.cuh.
#pragma once
#include "mma.cuh"

const int MMA_TILE = 128, MMA_STEP = 32, MMA_STAGES = 3;

// mma_load starts the copies of one tile of S, which lies as [row][k], or [k][row]
// when across, with a row stride in elements; what does not exist is zero.
template <class S, bool across>
GP_DEVICE void mma_load(S* tile, int stride, const S* p, i64 rows, i64 ld, i64 row0, i64 k0, i64 K) {
	const int per = 16 / sizeof(S), wide = (across ? MMA_TILE : MMA_STEP) / per;
	GP_UNROLL
	for (int n = 0; n < MMA_TILE * MMA_STEP / per / 256; n++) {
		int e = (int)threadIdx.x + 256 * n, outer = e / wide, inner = e % wide * per;
		S* to = tile + outer * stride + inner;
		i64 row = row0 + (across ? inner : outer), k = k0 + (across ? outer : inner);
		if (row < rows && k < K) gp_copy_async(to, p + (across ? k * ld + row : row * ld + k));
		else *(gp_quad*)to = gp_quad{{0u, 0u, 0u, 0u}};
	}
}

// A matrix of 16-bit elements as an operand: element (row,k) is at p[row·ld + k],
// or p[k·ld + row] when across. ld is the row length.
template <class T, bool across> struct mma_operand {
	static const int parts = 1;
	static const int stride = across ? MMA_TILE + 8 : MMA_STEP + 8; // 8 rows of 16 bytes fall into different banks
	static const int bytes = MMA_TILE * (MMA_STEP + 8) * 2;         // of a tile in shared memory, for both
	const T* p;
	i64 rows, ld;

	GP_DEVICE_MEMBER void load(void* tile, i64 row0, i64 k0, i64 K) const { mma_load<T, across>((T*)tile, stride, p, rows, ld, row0, k0, K); }

	static GP_DEVICE_MEMBER void left(u32 (&r)[1][4], const void* tile, int row, int k) { mma_left<T, across>(r[0], (const T*)tile, stride, row, k); }
	static GP_DEVICE_MEMBER void right(u32 (&r)[4], const void* tile, int row, int k) { mma_right<T, across>(r, (const T*)tile, stride, row, k); }
};

// A matrix of f32 as an operand on the left: each element is the sum of two bf16,
// its rounded value and the rounded rest, 16 bits of fraction together; the two
// are multiplied one after the other.
template <bool across> struct mma_split {
	static const int parts = 2;
	static const int stride = across ? MMA_TILE + 4 : MMA_STEP + 8;
	static const int bytes = MMA_TILE * (MMA_STEP + 8) * 4;
	const float* p;
	i64 rows, ld;

	GP_DEVICE_MEMBER void load(void* tile, i64 row0, i64 k0, i64 K) const { mma_load<float, across>((float*)tile, stride, p, rows, ld, row0, k0, K); }

	static GP_DEVICE_MEMBER void left(u32 (&r)[2][4], const void* at, int row, int k) {
		const float* tile = (const float*)at;
		int lane = threadIdx.x & 31;
		GP_UNROLL
		for (int i = 0; i < 4; i++) {
			int m = row + lane / 4 + i % 2 * 8, c = k + lane % 4 * 2 + i / 2 * 8;
			r[0][i] = r[1][i] = 0u;
			GP_UNROLL
			for (int e = 0; e < 2; e++) {
				float x = across ? tile[(c + e) * stride + m] : tile[m * stride + c + e];
				gp_bf16 high, low;
				gp_narrow(&high, x);
				gp_narrow(&low, x - gp_widen(high));
				r[0][i] |= (u32)high.bits << 16 * e;
				r[1][i] |= (u32)low.bits << 16 * e;
			}
		}
	}
};

// gemm_mma makes the tile of the block: grid (⌈N/128⌉, ⌈M/128⌉); T is the type of
// the products. begin(m,n) is the start of a sum, end(m,n,acc) takes it.
template <class T, class Left, class Right, class Begin, class End>
GP_DEVICE void gemm_mma(const Left& A, const Right& B, i64 K, const Begin& begin, const End& end) {
	GP_DYNSHARED(unsigned char, shared); // [stages][A, B]
	const int stage = Left::bytes + Right::bytes;
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
			A.load(shared + s * stage, m0, s * MMA_STEP, K);
			B.load(shared + s * stage + Left::bytes, n0, s * MMA_STEP, K);
		}
		gp_copy_commit(); // empty groups keep the count
	}
	for (i64 step = 0; step < steps; step++) {
		gp_copy_wait<MMA_STAGES - 2>();
		__syncthreads(); // the tiles of this step are there, those of the last one are free
		i64 ahead = step + MMA_STAGES - 1;
		if (ahead < steps) {
			unsigned char* to = shared + ahead % MMA_STAGES * stage;
			A.load(to, m0, ahead * MMA_STEP, K);
			B.load(to + Left::bytes, n0, ahead * MMA_STEP, K);
		}
		gp_copy_commit();
		const unsigned char *a = shared + step % MMA_STAGES * stage, *b = a + Left::bytes;
		GP_UNROLL
		for (int k = 0; k < MMA_STEP; k += 16) {
			u32 x[Left::parts][4], y[2][4];
			GP_UNROLL
			for (int j = 0; j < 2; j++) B.right(y[j], b, wn + 16 * j, k);
			GP_UNROLL
			for (int i = 0; i < 4; i++) {
				A.left(x, a, wm + 16 * i, k);
				GP_UNROLL
				for (int part = 0; part < Left::parts; part++)
					GP_UNROLL
					for (int j = 0; j < 4; j++) gp_mma(T, acc[i][j], x[part], y[j / 2][j % 2 * 2], y[j / 2][j % 2 * 2 + 1]);
			}
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
