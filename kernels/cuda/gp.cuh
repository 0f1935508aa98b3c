// The machine the kernels are written for: what is left when the same source is
// read by two compilers,
//
//   clang -x cuda   the device; no header of a toolkit is needed (PTX 7.0, sm_70
//                   or, for what includes mma.cuh, sm_80)
//   C++ (GP_SIM)    the host; gp_sim.h of the simulated driver gives the meaning
//
// Only the functions named gp_* touch PTX, so that each has a twin on the host.
// Nothing else of CUDA is used than threadIdx, blockIdx, blockDim, gridDim,
// __syncthreads, __shfl_xor_sync and dynamic shared memory. Static shared memory
// is not used: templates of one kernel would each bring their own.
//
// Arithmetic is what is written: both compilers run with -ffp-contract=off and a
// fused multiply-add is always gp_fma, because the same expression in two
// kernels must give the same bits (a value kept = the value computed again).
#pragma once

#ifdef GP_SIM
#include "gp_sim.h"
#define GP_REGISTER(kernel) SIM_REG(kernel)
#else
#define GP_REGISTER(kernel)
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
typedef __SIZE_TYPE__ size_t;
struct uint3 { unsigned x, y, z; };
struct dim3 { unsigned x, y, z; };
#include <__clang_cuda_builtin_vars.h>
#define __syncthreads() __nvvm_bar_sync(0)
#define GP_DYNSHARED(T, name)                                                    \
	extern __shared__ __attribute__((aligned(16))) unsigned char gp_shared[]; \
	T* name = (T*)gp_shared
#endif

// Device functions are inlined: the PTX has no calls.
#define GP_DEVICE static __device__ __forceinline__
#define GP_DEVICE_MEMBER __device__ __forceinline__
// An entry point, the threads of its blocks, which the launch must keep to, and
// where it matters how many blocks a multiprocessor must have registers for.
#define GP_KERNEL(...) extern "C" __global__ void __launch_bounds__(__VA_ARGS__)

// GP_UNROLL stands before a loop over the elements of an array in registers,
// GP_ROLL before one that must not become many copies of its code.
#ifdef GP_SIM
#define GP_UNROLL
#define GP_ROLL
#else
#define GP_UNROLL _Pragma("unroll")
#define GP_ROLL _Pragma("unroll 1")
#endif

// GP_GLOBAL is an array of the module, written by one kernel and read by a later
// one of the same stream, through gp_global_put and gp_global_get.
#ifdef GP_SIM
#define GP_GLOBAL(T, name, n) static T name[n]
#define GP_UNCHECKED __attribute__((no_sanitize("thread"), noinline))
#else
#define GP_GLOBAL(T, name, n) static __device__ T name[n]
#define GP_UNCHECKED
#endif
GP_UNCHECKED static inline __device__ double gp_global_get(const double* p) { return *(const volatile double*)p; }
GP_UNCHECKED static inline __device__ void gp_global_put(double* p, double v) { *(volatile double*)p = v; }

typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64; // all integer parameters: parameters are slots of 8 bytes

const u32 GP_FULL = 0xffffffffu; // all lanes of a warp

// gp_opaque is an address in global memory of which the compiler knows nothing.
#ifdef GP_SIM
#define GP_GLOBAL_MEMORY
static inline const void* gp_opaque(const void* p) { return p; }
#else
#define GP_GLOBAL_MEMORY __attribute__((address_space(1)))
static inline __device__ u64 gp_opaque(const void* p) {
	u64 at = (u64)(const GP_GLOBAL_MEMORY void*)p;
	asm("" : "+l"(at));
	return at;
}
#endif

// Bytes that one thread moves at once, from or to a multiple of their number.
// gp_load and gp_store are for global memory. A compiler would take a struct apart
// and load its members, or load the elements of a vector one by one where another
// branch does, so the address is opaque.
typedef u32 __attribute__((vector_size(16), may_alias)) gp_vector4;
typedef u32 __attribute__((vector_size(8), may_alias)) gp_vector2;
struct __attribute__((may_alias)) __attribute__((aligned(16))) gp_quad { u32 w[4]; };
struct __attribute__((may_alias)) __attribute__((aligned(16))) gp_float4 { float v[4]; };
struct __attribute__((may_alias)) __attribute__((aligned(8))) gp_float2 { float v[2]; };
struct __attribute__((may_alias)) __attribute__((aligned(4))) gp_one { u32 w; };
static inline __device__ void gp_load(u32 (&w)[4], const void* p) {
	gp_vector4 v = *(const GP_GLOBAL_MEMORY gp_vector4*)gp_opaque(p);
	w[0] = v[0], w[1] = v[1], w[2] = v[2], w[3] = v[3];
}
static inline __device__ void gp_load(u32 (&w)[2], const void* p) {
	gp_vector2 v = *(const GP_GLOBAL_MEMORY gp_vector2*)gp_opaque(p);
	w[0] = v[0], w[1] = v[1];
}
static inline __device__ void gp_store(void* p, const u32 (&w)[4]) { *(gp_vector4*)p = gp_vector4{w[0], w[1], w[2], w[3]}; }
static inline __device__ void gp_store(void* p, const u32 (&w)[2]) { *(gp_vector2*)p = gp_vector2{w[0], w[1]}; }

#ifdef GP_SIM

GP_DEVICE float gp_fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
GP_DEVICE double gp_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
GP_DEVICE float gp_max(float a, float b) { return a > b ? a : b; }
GP_DEVICE float gp_sqrt(float x) { return __builtin_sqrtf(x); }
GP_DEVICE double gp_sqrt(double x) { return __builtin_sqrt(x); }
GP_DEVICE u32 gp_bits(float x) { u32 u; __builtin_memcpy(&u, &x, 4); return u; }
GP_DEVICE float gp_float(u32 u) { float x; __builtin_memcpy(&x, &u, 4); return x; }
GP_DEVICE u64 gp_bits(double x) { u64 u; __builtin_memcpy(&u, &x, 8); return u; }
GP_DEVICE double gp_double(u64 u) { double x; __builtin_memcpy(&x, &u, 8); return x; }
GP_DEVICE float gp_half_float(u16 h) { _Float16 x; __builtin_memcpy(&x, &h, 2); return (float)x; }
GP_DEVICE u16 gp_float_half(float x) { _Float16 h = (_Float16)x; u16 u; __builtin_memcpy(&u, &h, 2); return u; }
#define gp_xor_float(v, lanes) __shfl_xor_sync(GP_FULL, (float)(v), lanes)
#define gp_xor_int(v, lanes) __shfl_xor_sync(GP_FULL, (int)(v), lanes)
#define gp_warp_wait() __syncwarp()

// gp_ballot is a butterfly of ors: 32 lanes, one bit each.
GP_DEVICE u32 gp_ballot(bool p) {
	u32 bits = p ? 1u << (threadIdx.x & 31) : 0u;
	for (int m = 16; m > 0; m >>= 1) bits |= __shfl_xor_sync(GP_FULL, bits, m);
	return bits;
}

#else

GP_DEVICE float gp_fma(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
GP_DEVICE double gp_fma(double a, double b, double c) { return __nvvm_fma_rn_d(a, b, c); }
// The greater of two numbers; b where a is NaN.
GP_DEVICE float gp_max(float a, float b) { return __nvvm_fmax_f(a, b); }
GP_DEVICE float gp_sqrt(float x) { return __nvvm_sqrt_rn_f(x); }
GP_DEVICE double gp_sqrt(double x) { return __nvvm_sqrt_rn_d(x); }
GP_DEVICE u32 gp_bits(float x) { return __builtin_bit_cast(u32, x); }
GP_DEVICE float gp_float(u32 u) { return __builtin_bit_cast(float, u); }
GP_DEVICE u64 gp_bits(double x) { return __builtin_bit_cast(u64, x); }
GP_DEVICE double gp_double(u64 u) { return __builtin_bit_cast(double, u); }
GP_DEVICE float gp_half_float(u16 h) { float x; asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h)); return x; }
GP_DEVICE u16 gp_float_half(float x) { u16 h; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x)); return h; }
GP_DEVICE float gp_xor_float(float v, int lanes) { return __nvvm_shfl_sync_bfly_f32(GP_FULL, v, lanes, 31); }
GP_DEVICE int gp_xor_int(int v, int lanes) { return __nvvm_shfl_sync_bfly_i32(GP_FULL, v, lanes, 31); }
GP_DEVICE u32 gp_ballot(bool p) { return __nvvm_vote_ballot_sync(GP_FULL, p); }
// gp_warp_wait is a barrier of the warp: what its lanes wrote before, all may read after it.
GP_DEVICE void gp_warp_wait() { __nvvm_bar_warp_sync(GP_FULL); }

#endif

// The global index of the thread, and the number of threads, along x.
GP_DEVICE i64 gp_thread() { return (i64)blockIdx.x * blockDim.x + threadIdx.x; }

// Sum and maximum over the lanes of a warp, the same bits in each lane; lanes is
// 32 for the warp or 8 for each group of eight.
GP_DEVICE float gp_warp_sum(float v, int lanes = 32) {
	for (int m = lanes / 2; m > 0; m >>= 1) v += gp_xor_float(v, m);
	return v;
}
GP_DEVICE float gp_warp_max(float v, int lanes = 32) {
	for (int m = lanes / 2; m > 0; m >>= 1) {
		float other = gp_xor_float(v, m);
		v = other > v ? other : v;
	}
	return v;
}
// Minimum over the lanes of the warp.
GP_DEVICE int gp_warp_min(int v) {
	for (int m = 16; m > 0; m >>= 1) {
		int other = gp_xor_int(v, m);
		v = other < v ? other : v;
	}
	return v;
}
