// Memory of the simulated device and pinned memory of the host. Each allocation
// ends at a page that cannot be touched, and begins filled with 0xff: NaN as
// floats, -1 as integers.
#pragma once

#include "api.h"

namespace sim {

CUresult allocate_device(CUdeviceptr* p, size_t n);
CUresult free_device(CUdeviceptr p);
CUresult allocate_pinned(void** p, size_t n);
CUresult free_pinned(void* p);

// on_device and is_pinned report whether [p, p+n) lies in one allocation.
bool on_device(CUdeviceptr p, size_t n);
bool is_pinned(const void* p, size_t n);

// reserve takes device memory for what is no allocation: the context, modules,
// graphs. unreserve gives it back.
CUresult reserve(size_t n);
void unreserve(size_t n);

// available is how much the device can still give, in bytes.
size_t available();

} // namespace sim
