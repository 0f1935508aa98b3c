// The host meaning of the part of CUDA that the kernels use. It is included by
// gp.cuh when GP_SIM is defined, in front of the same kernel source that the
// device compiler reads.
//
// A CUDA thread is a fiber. One fiber runs at a time, until it comes to a barrier
// or to an operation of its warp, so plain loads and stores need no care here.
// Static shared memory has no meaning: there is one dynamic block of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)

// Code that the checking flavour does not watch: the machinery between kernel and executor.
#define SIM_UNCHECKED __attribute__((no_sanitize("thread")))

namespace sim {

struct Dim3 {
	unsigned x, y, z;
};

// Thread is what a CUDA thread knows of itself.
struct Thread {
	Dim3 index, block, block_size, grid_size;
	unsigned linear;       // index in the block
	unsigned char* shared; // of the block, dynamic
};

extern Thread* running;

// Place is where an operation stands in the kernel's source.
struct Place {
	const char* file;
	int line;
};

// barrier waits for all threads of the block.
void barrier(Place at);

enum class Shuffle { exclusive_or, down, up, index };

// shuffle exchanges 8 bytes between the lanes of mask.
uint64_t shuffle(unsigned mask, uint64_t v, Shuffle kind, int d, Place at);

// gather_words is the most words that a lane can bring to gather.
constexpr int gather_words = 8;

// gather waits for the lanes of mask, each of which brings n words of 32 bits, and
// answers the words of lane i at [i*n]. They are valid until the next operation.
const uint32_t* gather(unsigned mask, const uint32_t* words, int n, Place at);

// copy_async, copy_commit and copy_wait are cp.async of 16 bytes: the copy is made
// when it is waited for, so a forgotten wait reads the old contents.
void copy_async(void* shared, const void* global);
void copy_commit();
void copy_wait(int groups);

// watch tells the checking flavour of an access made by unchecked code.
void watch(const void* p, size_t n, bool write);

template <class T> SIM_UNCHECKED T shuffled(unsigned mask, T v, Shuffle kind, int d, Place at) {
	static_assert(sizeof(T) <= 8, "a shuffle moves up to 8 bytes");
	uint64_t u = 0;
	memcpy(&u, &v, sizeof v);
	u = shuffle(mask, u, kind, d, at);
	memcpy(&v, &u, sizeof v);
	return v;
}

// Kernel is an entry point of the host build; all of them form a list.
struct Kernel {
	const char* name;
	void (*call)(void** params);
	int params;
	Kernel* next;
	static Kernel* first;
	Kernel(const char* n, void (*c)(void**), int k) : name(n), call(c), params(k), next(first) { first = this; }
};

// Caller unpacks the parameters of an entry point.
template <class F> struct Caller;
template <class... A> struct Caller<void (*)(A...)> {
	static constexpr int params = sizeof...(A);
	template <void (*F)(A...), size_t... I>
	SIM_UNCHECKED static void spread([[maybe_unused]] void** p, std::index_sequence<I...>) {
		F(*static_cast<A*>(p[I])...);
	}
	template <void (*F)(A...)> SIM_UNCHECKED static void call(void** p) {
		spread<F>(p, std::index_sequence_for<A...>{});
	}
};

} // namespace sim

#define threadIdx (sim::running->index)
#define blockIdx (sim::running->block)
#define blockDim (sim::running->block_size)
#define gridDim (sim::running->grid_size)

#define SIM_HERE (sim::Place{__FILE__, __LINE__})
#define __syncthreads() sim::barrier(SIM_HERE)
#define __syncwarp() ((void)sim::shuffle(0xffffffffu, 0, sim::Shuffle::exclusive_or, 0, SIM_HERE))
#define __shfl_xor_sync(mask, v, lanes) sim::shuffled(mask, v, sim::Shuffle::exclusive_or, lanes, SIM_HERE)
#define __shfl_down_sync(mask, v, lanes) sim::shuffled(mask, v, sim::Shuffle::down, lanes, SIM_HERE)
#define __shfl_up_sync(mask, v, lanes) sim::shuffled(mask, v, sim::Shuffle::up, lanes, SIM_HERE)
#define __shfl_sync(mask, v, lane) sim::shuffled(mask, v, sim::Shuffle::index, lane, SIM_HERE)
#define GP_DYNSHARED(T, name) T* name = reinterpret_cast<T*>(sim::running->shared)

// SIM_REG makes a kernel known to the simulated driver under its own name.
#define SIM_REG(kernel)                                                                             \
	static sim::Kernel sim_kernel_##kernel(#kernel, &sim::Caller<decltype(&kernel)>::call<&kernel>, \
	                                       sim::Caller<decltype(&kernel)>::params);
