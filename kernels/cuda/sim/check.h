// The checking flavour: kernels are compiled with -fsanitize=thread, but its
// callbacks are answered here, with CUDA's rules, from what the executor and the
// streams know. Each two bytes of memory remember who wrote them last, who read
// them last, and which operations read them, as far as none comes after another.
// Two accesses, one of them a write, are ordered when they are made by
//
//   the same thread; or
//   threads of one block, with a barrier between them; or
//   threads of one warp, with an operation of the warp between them; or
//   operations of which one comes before the other (clock.h).
//
// Anything else is a race, whether or not it did harm in this run. In the plain
// flavour nothing here does anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sim {

#ifdef SIM_CHECK
constexpr bool checking = true;
#else
constexpr bool checking = false;
#endif

// Where is the running thread of the running kernel.
struct Where {
	uint32_t op, block, thread;
	uint32_t phase; // barriers passed by the block
	uint32_t step;  // operations passed by the warp
};

extern Where here;

enum class Memory { device, host };

// remember and forget follow allocations. Host memory may be filled by the host
// at any time, so whether it was ever written is not asked.
void remember(const void* p, size_t n, Memory kind);
void forget(const void* p);

// fresh_shared says that a block starts with n bytes of shared memory.
void fresh_shared(const void* p, size_t n);

// own_records are the executor's records of threads, and stack the running one's:
// kernels may touch both.
void own_records(const void* p, size_t n);
void own_stack(const void* p, size_t n);

// whole checks a copy or a fill of n bytes by an operation and remembers it. It
// answers what is wrong, or nothing.
std::string whole(const void* p, size_t n, bool write, uint32_t op);

// access checks an access of the running thread; a finding ends the kernel.
void access(uintptr_t p, size_t n, bool write);

// kernel_checks turns access on while a kernel's own code runs.
extern bool kernel_checks;

} // namespace sim
