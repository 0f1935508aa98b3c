// What the simulated driver offers to a simulated library: its own work on a
// stream, with the device memory that it touches declared, since the checking
// driver cannot see it.
#pragma once

#include "api.h"

// SimRange is `rows` pieces of `bytes` of device memory, `stride` bytes apart.
struct SimRange {
	CUdeviceptr p;
	size_t rows, bytes, stride;
	int write; // else read
};

extern "C" {

// cuSimQueue queues work(data) on a stream; gone(data) is called once nothing
// will call work any more, also when this answers an error.
#pragma GCC visibility push(default)
CUresult cuSimQueue(CUstream s, const SimRange* ranges, int n, void (*work)(void*), void (*gone)(void*), void* data);
#pragma GCC visibility pop
}
