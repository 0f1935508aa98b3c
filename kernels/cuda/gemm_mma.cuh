// A product C[m,n] (+)= Σ_k A(m,k) B(n,k) on the tensor cores, summed in f32, k
// ascending in steps of one instruction: 16 of 16-bit operands, 8 of f32 rounded
// to tf32. A block makes a tile of S×S, S = 128 with eight warps of 64×32 each or 64
// with four of 32×32. A stage is 64 bytes of a row, two instructions; three of four
// stages of cp.async are ahead. The size of a tile changes no bit. Rows of both operands and of shared memory are read 16 bytes at a
// time, so the row length of both is a multiple of 16 bytes and so are their
// addresses; anything else is for gemm.cuh.
//
// Blocks walk down eight tiles of rows before they go to the next tile of columns,
// so that those which run together share their operands in the second-level cache.
#pragma once
#include "mma.cuh"

const int MMA_STAGES = 4;
const int MMA_GROUP = 8;   // tiles of rows that blocks walk down together
const int MMA_PATCH = 40;  // row stride in floats of the results of a warp

// Threads of a block with a tile of S×S.
#define MMA_THREADS(S) (2 * (S))

// mma_walk copies the pieces of one thread of every tile of an operand of S rows
// whose elements E lie as [row][k], or [k][row] when across. Tiles are step deep in k.
template <int S, class E, int step, int stride, bool across> struct mma_walk {
	static const int per = 16 / sizeof(E), wide = (across ? S : step) / per, pieces = S * step / per / MMA_THREADS(S);
	static const int apart = MMA_THREADS(S) / wide; // rows of memory between two pieces
	const E* at;  // first piece of the next tile
	i64 jump;     // elements between two pieces; pieces·apart is step when across
	int k, K, to; // k of the first piece, and where pieces go
	bool in[across ? 1 : pieces];

	GP_DEVICE_MEMBER mma_walk(const E* p, i64 rows, i64 ld, i64 row0, i64 length) {
		int outer = threadIdx.x / wide, inner = threadIdx.x % wide * per;
		i64 row = row0 + (across ? inner : outer);
		k = across ? outer : inner, K = (int)length, to = outer * stride + inner;
		at = p + (across ? k * ld + row : row * ld + k);
		jump = apart * ld;
		GP_UNROLL
		for (int n = 0; n < (across ? 1 : pieces); n++) in[n] = row + n * apart < rows;
	}

	// load starts the copies of one tile; what does not exist is zero.
	GP_DEVICE_MEMBER void load(void* tile) {
		GP_UNROLL
		for (int n = 0; n < pieces; n++)
			gp_copy_async((E*)tile + to + n * apart * stride, at + n * jump, in[across ? 0 : n] && k + (across ? n * apart : 0) < K);
		at += across ? pieces * jump : step, k += step;
	}
};

// A matrix of elements as an operand: element (row,k) is at p[row·ld + k], or
// p[k·ld + row] when across. T is 16-bit, or float for tf32. The rows of a tile in
// shared memory are padded so that eight of them fall into different banks.
template <int S, class T, bool across> struct mma_operand {
	static const bool single = across && sizeof(T) == 4; // ldmatrix cannot turn it: its elements are read one by one
	static const int step = 64 / sizeof(T);
	static const int stride = across ? S + 8 : step + 16 / sizeof(T);
	static const int bytes = S * (64 + 16); // of a tile in shared memory, for both
	typedef mma_walk<S, T, step, stride, across> walk;
	const T* p;
	i64 rows, ld;

	static GP_DEVICE_MEMBER void left(u32 (&r)[4], const void* tile, int row, int k) { mma_left<T, across>(r, (const T*)tile, stride, row, k); }
	static GP_DEVICE_MEMBER void right(u32 (&r)[4], const void* tile, int row, int k) { mma_right<T, across>(r, (const T*)tile, stride, row, k); }
};

// A matrix of 16-bit elements as an operand on the right of tf32, which holds them
// exactly: element (row,k) is at p[k·ld + row].
template <int S, class T> struct mma_widened {
	static const bool single = true;
	static const int step = 16, stride = S + 8, bytes = step * stride * (int)sizeof(T);
	typedef mma_walk<S, T, step, stride, true> walk;
	const T* p;
	i64 rows, ld;

	static GP_DEVICE_MEMBER void right(u32 (&r)[4], const void* at, int row, int k) {
		const T* tile = (const T*)at + (k + (int)(threadIdx.x & 3)) * stride + row + (int)(threadIdx.x & 31) / 4;
		GP_UNROLL
		for (int e = 0; e < 4; e++) r[e] = gp_bits(gp_widen(tile[e % 2 * 4 * stride + e / 2 * 8]));
	}
};

// mma_block is the tile of a block: grid (⌈N/S⌉, ⌈M/S⌉).
template <int S> GP_DEVICE void mma_block(i64& m0, i64& n0) {
	u32 wide = gridDim.x, block = blockIdx.y * wide + blockIdx.x, group = block / (MMA_GROUP * wide);
	u32 rest = gridDim.y - group * MMA_GROUP, rows = rest < (u32)MMA_GROUP ? rest : (u32)MMA_GROUP, i = block % (MMA_GROUP * wide);
	m0 = (i64)(group * MMA_GROUP + i % rows) * S;
	n0 = (i64)(i / rows) * S;
}

// mma_results hands the results of a warp over, P neighbours of a row at a time,
// by way of shared memory: end(m, n, v) for the elements (m,n) … (m,n+P-1).
template <int P, int I, class End>
GP_DEVICE void mma_results(float* patch, const float (&acc)[I][4][4], i64 m0, i64 n0, i64 M, i64 N, const End& end) {
	int lane = threadIdx.x & 31;
	GP_UNROLL
	for (int half = 0; half < I / 2; half++) {
		gp_warp_wait(); // all have read the rows before
		GP_UNROLL
		for (int i = 0; i < 2; i++)
			GP_UNROLL
			for (int j = 0; j < 4; j++)
				GP_UNROLL
				for (int e = 0; e < 4; e += 2) {
					const float* v = acc[half * 2 + i][j] + e;
					*(gp_float2*)(patch + (16 * i + lane / 4 + e / 2 * 8) * MMA_PATCH + 8 * j + lane % 4 * 2) = gp_float2{{v[0], v[1]}};
				}
		gp_warp_wait();
		GP_ROLL
		for (int q = lane; q < 32 * 32 / P; q += 32) {
			int row = q / (32 / P), column = q % (32 / P) * P;
			i64 m = m0 + half * 32 + row, n = n0 + column;
			if (m >= M || n >= N) continue;
			float v[P];
			GP_UNROLL
			for (int c = 0; c < P; c += 4) {
				gp_float4 x = *(const gp_float4*)(patch + row * MMA_PATCH + column + c);
				v[c] = x.v[0], v[c + 1] = x.v[1], v[c + 2] = x.v[2], v[c + 3] = x.v[3];
			}
			end(m, n, v);
		}
	}
}

// mma_step multiplies what one instruction is deep, from k of the tiles.
template <class T, class Left, class Right, int I>
GP_DEVICE void mma_step(float (&acc)[I][4][4], const void* a, const void* b, int wm, int wn, int k) {
	u32 x[4], y[2][4];
	GP_UNROLL
	for (int j = 0; j < 2; j++) Right::right(y[j], b, wn + 16 * j, k);
	GP_UNROLL
	for (int i = 0; i < I; i++) {
		Left::left(x, a, wm + 16 * i, k);
		GP_UNROLL
		for (int j = 0; j < 4; j++) gp_mma(T, acc[i][j], x, y[j / 2][j % 2 * 2], y[j / 2][j % 2 * 2 + 1]);
	}
}

// gemm_mma makes the tile of the block; T is the type of the products and P the
// number of neighbours that end(m, n, v) takes; those from B.rows on do not exist.
template <class T, int S, int P, class Left, class Right, class End> GP_DEVICE void gemm_mma(const Left& A, const Right& B, i64 K, const End& end) {
	GP_DYNSHARED(unsigned char, shared); // [stages][A, B]
	const int stage = Left::bytes + Right::bytes, step = Left::step;
	static_assert(step == Right::step, "the tiles of both operands are equally deep");
	const int I = S / 32, across = S / 32; // pieces of 16 rows of a warp, and warps side by side
	int warp = threadIdx.x >> 5, wm = warp / across * 16 * I, wn = warp % across * 32;
	i64 m0, n0;
	mma_block<S>(m0, n0);
	typename Left::walk left(A.p, A.rows, A.ld, m0, K);
	typename Right::walk right(B.p, B.rows, B.ld, n0, K);
	float acc[I][4][4];
	GP_UNROLL
	for (int i = 0; i < I; i++)
		GP_UNROLL
		for (int j = 0; j < 4; j++)
			GP_UNROLL
			for (int e = 0; e < 4; e++) acc[i][j][e] = 0.0f;
	int steps = (int)((K + step - 1) / step), fill = 0, use = 0; // stages
	for (; fill < MMA_STAGES - 1; fill++) {
		if (fill < steps) {
			left.load(shared + fill * stage);
			right.load(shared + fill * stage + Left::bytes);
		}
		gp_copy_commit(); // empty groups keep the count
	}
	for (int i = 0; i < steps; i++) {
		gp_copy_wait<MMA_STAGES - 2>();
		__syncthreads(); // the tiles of this step are there, those of the last one are free
		if (i + MMA_STAGES - 1 < steps) {
			left.load(shared + fill * stage);
			right.load(shared + fill * stage + Left::bytes);
		}
		gp_copy_commit();
		const unsigned char *a = shared + use * stage, *b = a + Left::bytes;
		fill = fill + 1 < MMA_STAGES ? fill + 1 : 0, use = use + 1 < MMA_STAGES ? use + 1 : 0;
		if constexpr (Left::single && Right::single) { // so many loads at once take too many registers
			GP_ROLL
			for (int k = 0; k < step; k += step / 2) mma_step<T, Left, Right>(acc, a, b, wm, wn, k);
		} else {
			GP_UNROLL
			for (int k = 0; k < step; k += step / 2) mma_step<T, Left, Right>(acc, a, b, wm, wn, k);
		}
	}
	gp_copy_wait<0>();
	__syncthreads(); // all have read the tiles
	mma_results<P>((float*)shared + warp * 32 * MMA_PATCH, acc, m0 + wm, n0 + wn, A.rows, B.rows, end);
}
