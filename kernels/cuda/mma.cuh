// The tensor cores: mma.sync with f32 sums on bf16, f16 (m16n8k16) or tf32
// (m16n8k8), ldmatrix and cp.async. The host twins follow the register layout of
// the PTX manual: with g = lane/4 and t = lane mod 4, a warp holds
//
//   A 16×16  a0 (g, 2t) a1 (g+8, 2t) a2 (g, 2t+8) a3 (g+8, 2t+8), two columns each
//   B 16×8   b0 (2t, g) b1 (2t+8, g), two rows each
//   C 16×8   c0, c1 (g, 2t), c2, c3 (g+8, 2t)
//
// and of tf32, one element a register, A 16×8 a0 (g, t) a1 (g+8, t) a2 (g, t+4)
// a3 (g+8, t+4), B 8×8 b0 (t, g) b1 (t+4, g).
//
// Products are exact; the order in which one instruction adds its 16 or 8 products
// is the machine's. The twin adds in order.
#pragma once
#include "storage.cuh"

// The type of products of f32 operands rounded to 8 bits of exponent and 10 of
// fraction, to nearest, ties away from zero. It is no storage type.
struct gp_tf32 { u32 bits; };

#ifdef GP_SIM

SIM_UNCHECKED GP_DEVICE u16 gp_word(const u32* p, int i) { return (u16)(p[i / 2] >> 16 * (i % 2)); }

// ldmatrix: lane 8m+i names row i of matrix m; register m of lane L holds row
// L/4, columns 2(L mod 4) and the next, or with trans these rows of column L/4.
template <bool trans> SIM_UNCHECKED static void gp_ldmatrix_at(u32 (&r)[4], const void* p, sim::Place at) {
	u64 a = (u64)p;
	u32 own[2] = {(u32)a, (u32)(a >> 32)};
	sim::watch(p, 16, false);
	const u32* all = sim::gather(GP_FULL, own, 2, at);
	u32 lane = threadIdx.x & 31, g = lane / 4, t = lane % 4 * 2;
	for (int m = 0; m < 4; m++) {
		u32 pair[2];
		for (u32 k = 0; k < 2; k++) {
			u32 row = trans ? t + k : g, column = trans ? g : t + k;
			const u32* name = all + 2 * (8 * m + row);
			pair[k] = ((const u16*)((u64)name[0] | (u64)name[1] << 32))[column];
		}
		r[m] = pair[0] | pair[1] << 16;
	}
}
#define gp_ldmatrix(trans, r, p) gp_ldmatrix_at<trans>(r, p, SIM_HERE)

template <class T> SIM_UNCHECKED static void gp_mma_at(float (&c)[4], const u32 (&a)[4], u32 b0, u32 b1, sim::Place at) {
	u32 own[6] = {a[0], a[1], a[2], a[3], b0, b1};
	const u32* all = sim::gather(GP_FULL, own, 6, at);
	u32 lane = threadIdx.x & 31, g = lane / 4, t = lane % 4 * 2;
	for (u32 i = 0; i < 4; i++) {
		u32 row = g + i / 2 * 8, column = t + i % 2;
		for (u32 k = 0; k < 16; k++) {
			u32 from = k % 8 / 2, high = k / 8;
			T x, y;
			x.bits = gp_word(all + 6 * (row % 8 * 4 + from) + row / 8 + 2 * high, k % 2);
			y.bits = gp_word(all + 6 * (column * 4 + from) + 4 + high, k % 2);
			c[i] = gp_fma(gp_widen(x), gp_widen(y), c[i]);
		}
	}
}
template <> SIM_UNCHECKED void gp_mma_at<gp_tf32>(float (&c)[4], const u32 (&a)[4], u32 b0, u32 b1, sim::Place at) {
	u32 own[6] = {a[0], a[1], a[2], a[3], b0, b1};
	const u32* all = sim::gather(GP_FULL, own, 6, at);
	u32 lane = threadIdx.x & 31, g = lane / 4, t = lane % 4 * 2;
	for (u32 i = 0; i < 4; i++) {
		u32 row = g + i / 2 * 8, column = t + i % 2;
		for (u32 k = 0; k < 8; k++) { // the machine does not read the last 13 bits
			u32 x = all[6 * (row % 8 * 4 + k % 4) + row / 8 + 2 * (k / 4)], y = all[6 * (column * 4 + k % 4) + 4 + k / 4];
			c[i] = gp_fma(gp_float(x & ~0x1fffu), gp_float(y & ~0x1fffu), c[i]);
		}
	}
}
#define gp_mma(T, c, a, b0, b1) gp_mma_at<T>(c, a, b0, b1, SIM_HERE)

// gp_exp2 is 2^x to two units in the last place, 0 where the result would be
// subnormal.
GP_DEVICE float gp_exp2(float x) { return x < -126.0f ? 0.0f : __builtin_exp2f(x); }

// gp_narrow_tf32 rounds; infinities and NaN stay.
GP_DEVICE u32 gp_narrow_tf32(float x) {
	u32 u = gp_bits(x);
	return (u & 0x7f800000u) == 0x7f800000u ? u : (u + 0x1000u) & ~0x1fffu;
}

// gp_narrow_two rounds two numbers into one register, the first in the low half.
template <class T> GP_DEVICE u32 gp_narrow_two(float low, float high) {
	T l, h;
	gp_narrow(&l, low);
	gp_narrow(&h, high);
	return l.bits | (u32)h.bits << 16;
}

// gp_copy_async copies 16 bytes in the background, or zeros where there is nothing.
GP_DEVICE void gp_copy_async(void* shared, const void* global, bool exists) {
	if (exists) sim::copy_async(shared, global);
	else *(gp_quad*)shared = gp_quad{{0u, 0u, 0u, 0u}};
}
GP_DEVICE void gp_copy_commit() { sim::copy_commit(); }
template <int groups> GP_DEVICE void gp_copy_wait() { sim::copy_wait(groups); }

#else

GP_DEVICE u32 gp_shared_address(const void* p) { return (u32)(u64)(const void __attribute__((address_space(3)))*)p; }

template <bool trans> GP_DEVICE void gp_ldmatrix_at(u32 (&r)[4], const void* p) {
	if constexpr (trans)
		asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
		             : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(gp_shared_address(p)) : "memory");
	else
		asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
		             : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(gp_shared_address(p)) : "memory");
}
#define gp_ldmatrix(trans, r, p) gp_ldmatrix_at<trans>(r, p)

GP_DEVICE void gp_mma_of(gp_bf16, float (&c)[4], const u32 (&a)[4], u32 b0, u32 b1) {
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
	             : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
GP_DEVICE void gp_mma_of(gp_f16, float (&c)[4], const u32 (&a)[4], u32 b0, u32 b1) {
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
	             : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
GP_DEVICE void gp_mma_of(gp_tf32, float (&c)[4], const u32 (&a)[4], u32 b0, u32 b1) {
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
	             : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
#define gp_mma(T, c, a, b0, b1) gp_mma_of(T(), c, a, b0, b1)

GP_DEVICE float gp_exp2(float x) { float y; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }

GP_DEVICE u32 gp_narrow_tf32(float x) { u32 u; asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(u) : "f"(x)); return u; }

template <class T> GP_DEVICE u32 gp_narrow_two(float low, float high) {
	u32 u;
	if constexpr (__is_same(T, gp_bf16)) asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(u) : "f"(high), "f"(low));
	else asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(u) : "f"(high), "f"(low));
	return u;
}

// No branch: of a piece that does not exist zero bytes are read, and the rest is zero.
GP_DEVICE void gp_copy_async(void* shared, const void* global, bool exists) {
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(gp_shared_address(shared)), "l"(global), "r"(exists ? 16 : 0) : "memory");
}
GP_DEVICE void gp_copy_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int groups> GP_DEVICE void gp_copy_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory"); }

#endif

// mma_round makes operands of what a tile holds: f32 is rounded to tf32.
template <class T> GP_DEVICE void mma_round(u32 (&)[4], T) {}
GP_DEVICE void mma_round(u32 (&r)[4], float) {
	GP_UNROLL
	for (int e = 0; e < 4; e++) r[e] = gp_narrow_tf32(gp_float(r[e]));
}

// Pieces of a tile of 16-bit or f32 elements in shared memory that lies as
// [row][k], or as [k][row] when across, with a row stride in elements: mma_left is
// 16 rows of one instruction's k as A, mma_right the same as two B, registers 0, 1
// for the first eight rows and 2, 3 for the others. ldmatrix reads rows of 16
// bytes, whatever is in them: 8 elements of 16 bits or 4 of 32.
template <class T, bool across> GP_DEVICE void mma_left(u32 (&r)[4], const T* tile, int stride, int row, int k) {
	int lane = threadIdx.x & 31, i = lane & 7, group = lane >> 3;
	if constexpr (sizeof(T) == 4 && across) {
		GP_UNROLL
		for (int e = 0; e < 4; e++) r[e] = gp_bits(tile[(k + lane % 4 + e / 2 * 4) * stride + row + lane / 4 + e % 2 * 8]);
	} else if constexpr (across) {
		gp_ldmatrix(true, r, tile + (k + i + (group >> 1) * 8) * stride + row + (group & 1) * 8);
	} else {
		gp_ldmatrix(false, r, tile + (row + i + (group & 1) * 8) * stride + k + (group >> 1) * (16 / (int)sizeof(T)));
	}
	mma_round(r, T());
}
template <class T, bool across> GP_DEVICE void mma_right(u32 (&r)[4], const T* tile, int stride, int row, int k) {
	int lane = threadIdx.x & 31, i = lane & 7, group = lane >> 3;
	if constexpr (sizeof(T) == 4 && across) {
		GP_UNROLL
		for (int e = 0; e < 4; e++) r[e] = gp_bits(tile[(k + lane % 4 + e % 2 * 4) * stride + row + lane / 4 + e / 2 * 8]);
	} else if constexpr (across) {
		gp_ldmatrix(true, r, tile + (k + i + (group & 1) * 8) * stride + row + (group >> 1) * 8);
	} else {
		gp_ldmatrix(false, r, tile + (row + i + (group >> 1) * 8) * stride + k + (group & 1) * (16 / (int)sizeof(T)));
	}
	mma_round(r, T());
}
