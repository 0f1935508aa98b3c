// A product C[m,n] (+)= Σ_k A(m,k) B(n,k) on the f32 cores. Every element is one
// chain: acc = (continue ? C : 0); for k ascending acc = fma(a, b, acc); then the
// epilogue, once. Tiles change no bit, so they are chosen by shape alone.
//
// A block of 256 threads owns S×S elements, S = 64 or 128, each thread (S/16)²;
// it walks over k in steps of 1024/S. Tiles of A and B go to shared memory with k
// outermost, so that a thread reads four neighbours at once; the next tile is
// read from memory while the present one is multiplied, into the other of two
// buffers, so that one barrier a step is enough.
//
// The results go through shared memory, four neighbours at a time and each to the
// thread it came from, so that what is done with them is code once and not for
// every register.
#pragma once
#include "storage.cuh"

// Dynamic shared memory of a block: two buffers of two tiles, or half of the
// results of tiles of 128, all of tiles of 64.
#define GEMM_SHARED(S) ((S) == 64 ? 2 * 2 * 16 * 68 * 4 : 128 * 64 * 4)

// A matrix of rows×K elements as an operand: element (row,k) is at
// p[row·ld + k], or p[k·ld + row] when across. Where ld is a multiple of four, p
// is one of 16 bytes.
template <class T, bool across> struct gemm_operand {
	const T* p;
	i64 rows, ld;

	// at is element (row,k), 0 outside.
	GP_DEVICE_MEMBER float at(i64 row, i64 k, i64 K) const {
		return row < rows && k < K ? gp_widen(across ? p[k * ld + row] : p[row * ld + k]) : 0.0f;
	}
};

// gemm_fetch reads the four elements of the thread in the tile of S rows from
// row0 and 1024/S steps from k0; gemm_place stores them in shared memory. The
// four are neighbours in memory: where all exist and rows begin at multiples of
// four elements, they are read at once.
template <int S, class T, bool across>
GP_DEVICE void gemm_fetch(float (&v)[4], const gemm_operand<T, across>& m, i64 row0, i64 k0, i64 K) {
	int t = threadIdx.x;
	i64 row = row0 + (across ? t % (S / 4) * 4 : t / (256 / S)), k = k0 + (across ? t / (S / 4) : t % (256 / S) * 4);
	if (m.ld % 4 == 0 && row + (across ? 3 : 0) < m.rows && k + (across ? 0 : 3) < K) {
		gp_read(v, m.p + (across ? k * m.ld + row : row * m.ld + k), 0, 4, true);
		return;
	}
	GP_UNROLL
	for (int i = 0; i < 4; i++) v[i] = across ? m.at(row + i, k, K) : m.at(row, k + i, K);
}

template <int S, bool across> GP_DEVICE void gemm_place(float* tile, const float (&v)[4]) {
	int t = threadIdx.x;
	GP_UNROLL
	for (int i = 0; i < 4; i++) {
		if constexpr (across) tile[t / (S / 4) * (S + 4) + t % (S / 4) * 4 + i] = v[i];
		else tile[(t % (256 / S) * 4 + i) * (S + 4) + t / (256 / S)] = v[i];
	}
}

// gemm_step multiplies one pair of tiles.
template <int S> GP_DEVICE void gemm_step(float (&acc)[S / 16][S / 16], const float* a, const float* b) {
	int ty = threadIdx.x / 16 * 4, tx = threadIdx.x % 16 * 4;
	for (int k = 0; k < 1024 / S; k++) {
		float x[S / 16], y[S / 16];
		GP_UNROLL
		for (int g = 0; g < S / 64; g++) {
			gp_float4 p = *(const gp_float4*)(a + k * (S + 4) + g * 64 + ty);
			gp_float4 q = *(const gp_float4*)(b + k * (S + 4) + g * 64 + tx);
			GP_UNROLL
			for (int i = 0; i < 4; i++) x[g * 4 + i] = p.v[i], y[g * 4 + i] = q.v[i];
		}
		GP_UNROLL
		for (int i = 0; i < S / 16; i++)
			GP_UNROLL
			for (int j = 0; j < S / 16; j++) acc[i][j] = gp_fma(x[i], y[j], acc[i][j]);
	}
}

// gemm_zero begins every chain at zero, which is what it is given.
struct gemm_zero {
	GP_DEVICE_MEMBER void operator()(float (&)[4], i64, i64) const {}
};

// gemm_continue begins them at what is stored, if there is more to add to it.
struct gemm_continue {
	gp_rows<float> stored;
	bool more;
	GP_DEVICE_MEMBER void operator()(float (&v)[4], i64 m, i64 n) const {
		if (more) stored.get(v, m, n);
	}
};

// gemm makes the tile of the block: grid (⌈N/S⌉, ⌈M/S⌉). begin(v, m, n) is the
// start of the chains of the elements (m,n) … (m,n+3), end(m, n, v) takes their
// results; those from n = B.rows on do not exist.
template <int S, class TA, bool ACROSS, class TB, bool BCROSS, class Begin, class End>
GP_DEVICE void gemm(const gemm_operand<TA, ACROSS>& A, const gemm_operand<TB, BCROSS>& B, i64 K, const Begin& begin, const End& end) {
	const int step = 1024 / S, tile = step * (S + 4);
	GP_DYNSHARED(float, shared); // [2][A, B][step][S+4]
	i64 m0 = (i64)blockIdx.y * S, n0 = (i64)blockIdx.x * S;
	int ty = threadIdx.x / 16 * 4, tx = threadIdx.x % 16 * 4;
	float acc[S / 16][S / 16], a[4], b[4];
	GP_UNROLL
	for (int i = 0; i < S / 16; i++)
		GP_UNROLL
		for (int j = 0; j < S / 16; j += 4) {
			i64 m = m0 + i / 4 * 64 + ty + i % 4, n = n0 + j / 4 * 64 + tx;
			float v[4] = {0.0f, 0.0f, 0.0f, 0.0f};
			if (m < A.rows && n < B.rows) begin(v, m, n);
			acc[i][j] = v[0], acc[i][j + 1] = v[1], acc[i][j + 2] = v[2], acc[i][j + 3] = v[3];
		}
	gemm_fetch<S>(a, A, m0, 0, K);
	gemm_fetch<S>(b, B, n0, 0, K);
	for (i64 k0 = 0, buffer = 0; k0 < K; k0 += step, buffer ^= 1) {
		float *ta = shared + buffer * 2 * tile, *tb = ta + tile;
		gemm_place<S, ACROSS>(ta, a);
		gemm_place<S, BCROSS>(tb, b);
		__syncthreads();
		if (k0 + step < K) {
			gemm_fetch<S>(a, A, m0, k0 + step, K);
			gemm_fetch<S>(b, B, n0, k0 + step, K);
		}
		gemm_step<S>(acc, ta, tb);
	}
	gp_float4* mine = (gp_float4*)shared + threadIdx.x; // every 256th is the thread's own
	__syncthreads();                                    // all have read the tiles
	GP_UNROLL
	for (int half = 0; half < S / 64; half++) {
		GP_UNROLL
		for (int i = 0; i < 4; i++)
			GP_UNROLL
			for (int g = 0; g < S / 64; g++) {
				const float* v = acc[half * 4 + i] + g * 4;
				mine[(i * (S / 64) + g) * 256] = gp_float4{{v[0], v[1], v[2], v[3]}};
			}
		GP_ROLL
		for (int q = 0; q < 4 * (S / 64); q++) {
			i64 m = m0 + half * 64 + ty + q / (S / 64), n = n0 + q % (S / 64) * 64 + tx;
			gp_float4 r = mine[q * 256];
			if (m < A.rows && n < B.rows) end(m, n, r.v);
		}
	}
}
