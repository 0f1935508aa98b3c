// The executor runs one grid at a time: block after block, the threads of a block
// as fibers on the calling thread. A fiber runs until it waits; then the next one
// that can goes on, in the order of Options::order.
//
// It finds, whatever the flavour: barriers that not all threads of a block reach,
// or that they reach at different places; operations of a warp with different
// masks, at different places, or with lanes that are missing; reads of a lane
// outside the mask; a block that waits for ever; and a segmentation fault.
#pragma once

#include "check.h"
#include "gp_sim.h"

#include <mutex>
#include <string>
#include <vector>

namespace sim {

struct Launch {
	const Kernel* kernel;
	Dim3 grid, block;
	unsigned shared; // bytes
	void** params;
	uint32_t op;
};

// run runs a grid and answers what went wrong, or nothing.
std::string run(const Launch& l);

// device is held by what changes the checker's records: a grid, a checked copy.
extern std::mutex device;

// fault ends the running grid; only a fiber may call it.
[[noreturn]] void fault(const std::string& what);

enum class State : uint8_t { ready, at_barrier, in_warp, ended };

struct AsyncCopy {
	void* to;
	const void* from;
};

// Fiber is a CUDA thread with its stack.
struct Fiber : Thread {
	void* sp = nullptr;
	unsigned char* stack = nullptr;
	State state = State::ended;
	Place at{}; // where it waits
	std::vector<AsyncCopy> copies;
	std::vector<size_t> groups; // ends of the committed groups in copies
};

// Warp is a rendezvous of 32 lanes.
struct Warp {
	uint32_t step = 0; // operations done
	int arrived = 0;
	unsigned mask = 0;
	Place at{};
	uint32_t words[2][32][gather_words]; // of the operation in progress and of the one before
};

// The block that is running, for the operations of warps.
extern std::vector<Fiber> fibers;
extern std::vector<Warp> warps;
extern unsigned block_threads;

inline Fiber& self() { return static_cast<Fiber&>(*running); }

// pause gives the processor to the next fiber.
void pause();

std::string text(Place p);

} // namespace sim
