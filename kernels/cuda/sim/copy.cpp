// Allocations, copies and fills of the driver API.
#include "capture.h"
#include "check.h"
#include "context.h"
#include "executor.h"
#include "memory.h"
#include "stream.h"

#include <cstring>

using namespace sim;

namespace {

void* pointer(CUdeviceptr p) { return reinterpret_cast<void*>(uintptr_t(p)); }

// moved copies and, in the checking flavour, checks both ends.
void moved(void* to, const void* from, size_t n, uint32_t op) {
	if (checking) {
		std::lock_guard<std::mutex> g(device);
		std::string wrong = whole(from, n, false, op);
		if (wrong.empty()) wrong = whole(to, n, true, op);
		if (!wrong.empty()) return stuck(CUDA_ERROR_LAUNCH_FAILED, wrong);
	}
	memmove(to, from, n);
}

// filled fills n elements and checks them.
template <class T> void filled(CUdeviceptr to, T value, size_t n, uint32_t op) {
	if (checking) {
		std::lock_guard<std::mutex> g(device);
		std::string wrong = whole(pointer(to), n * sizeof(T), true, op);
		if (!wrong.empty()) return stuck(CUDA_ERROR_LAUNCH_FAILED, wrong);
	}
	for (size_t i = 0; i < n; i++) memcpy(static_cast<char*>(pointer(to)) + i * sizeof(T), &value, sizeof(T));
}

// now does what the host waits for. It is not ordered after what streams still
// do: streams here do not block on the default stream.
template <class F> CUresult now(F work) {
	Clock none;
	work(operation(0, none));
	return stuck_result();
}

} // namespace

extern "C" {

CUresult cuMemGetInfo(size_t* free, size_t* total) {
	if (CUresult r = ready()) return r;
	*free = available();
	return cuDeviceTotalMem(total, 0);
}

CUresult cuMemAlloc(CUdeviceptr* p, size_t n) {
	if (CUresult r = ready()) return r;
	CUresult r = unsafe();
	return r ? r : allocate_device(p, n);
}

CUresult cuMemFree(CUdeviceptr p) {
	if (CUresult r = cuCtxSynchronize()) return r;
	return free_device(p);
}

CUresult cuMemHostAlloc(void** p, size_t n, unsigned int) {
	if (CUresult r = ready()) return r;
	CUresult r = unsafe();
	return r ? r : allocate_pinned(p, n);
}

CUresult cuMemFreeHost(void* p) {
	if (CUresult r = cuCtxSynchronize()) return r;
	return free_pinned(p);
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t n) {
	if (CUresult r = ready()) return r;
	if (CUresult r = unsafe(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT)) return r;
	if (!on_device(to, n)) return CUDA_ERROR_INVALID_VALUE;
	return now([&](uint32_t op) { moved(pointer(to), from, n, op); });
}

CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t n) {
	if (CUresult r = ready()) return r;
	if (CUresult r = unsafe(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT)) return r;
	if (!on_device(from, n)) return CUDA_ERROR_INVALID_VALUE;
	return now([&](uint32_t op) { moved(to, pointer(from), n, op); });
}

// From memory that is not pinned a copy is taken before the call returns.
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t n, CUstream s) {
	if (CUresult r = ready()) return r;
	if (!on_device(to, n)) return CUDA_ERROR_INVALID_VALUE;
	if (is_pinned(from, n)) return later(s, [=](uint32_t op) { moved(pointer(to), from, n, op); });
	if (capturing(s)) {
		spoil(s);
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	}
	auto staged = std::make_shared<std::vector<char>>(static_cast<const char*>(from), static_cast<const char*>(from) + n);
	return later(s, [=](uint32_t op) { moved(pointer(to), staged->data(), n, op); });
}

// To memory that is not pinned the call returns when the copy is made.
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t n, CUstream s) {
	if (CUresult r = ready()) return r;
	if (!on_device(from, n)) return CUDA_ERROR_INVALID_VALUE;
	bool waits = !is_pinned(to, n);
	if (waits && capturing(s)) {
		spoil(s);
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	}
	CUresult r = later(s, [=](uint32_t op) { moved(to, pointer(from), n, op); });
	if (r || !waits) return r;
	return cuStreamSynchronize(s);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s) {
	if (CUresult r = ready()) return r;
	if (!on_device(from, n) || !on_device(to, n)) return CUDA_ERROR_INVALID_VALUE;
	return later(s, [=](uint32_t op) { moved(pointer(to), pointer(from), n, op); });
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t n, CUstream s) {
	if (CUresult r = ready()) return r;
	if (!on_device(to, n)) return CUDA_ERROR_INVALID_VALUE;
	return later(s, [=](uint32_t op) { filled(to, value, n, op); });
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t n, CUstream s) {
	if (CUresult r = ready()) return r;
	if (to % 4 || !on_device(to, n * 4)) return CUDA_ERROR_INVALID_VALUE;
	return later(s, [=](uint32_t op) { filled(to, value, n, op); });
}

} // extern "C"
