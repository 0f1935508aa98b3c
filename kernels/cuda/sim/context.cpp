#include "context.h"
#include "memory.h"
#include "options.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>

struct CUctx_st {
	std::atomic<int> users{0};
};

namespace sim {

namespace {

std::atomic<bool> initialised;
std::atomic<int> sticky;
std::atomic<unsigned long long> calls, work;
std::mutex lock;
std::string message; // of the sticky error

constexpr size_t context_bytes = 2 << 20;
CUctx_st primary;
thread_local CUcontext current;

struct Named {
	CUresult r;
	const char *name, *text;
};

constexpr Named errors[] = {
	{CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
	{CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
	{CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
	{CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
	{CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
	{CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
	{CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device"},
	{CUDA_ERROR_ECC_UNCORRECTABLE, "CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable ECC error encountered"},
	{CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the provided PTX was compiled with an unsupported toolchain"},
	{CUDA_ERROR_ILLEGAL_STATE, "CUDA_ERROR_ILLEGAL_STATE", "the operation cannot be performed in the present state"},
	{CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
	{CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
	{CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
	{CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
	{CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
	{CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
	{CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing"},
	{CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "operation failed due to a previous error during capture"},
	{CUDA_ERROR_STREAM_CAPTURE_MERGE, "CUDA_ERROR_STREAM_CAPTURE_MERGE", "operation would result in a merge of separate capture sequences"},
	{CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "capture was not ended in the same stream as it began"},
	{CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "capturing stream has unjoined work"},
	{CUDA_ERROR_STREAM_CAPTURE_ISOLATION, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION", "dependency created on uncaptured work in another stream"},
	{CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", "operation would make the legacy stream depend on a capturing blocking stream"},
	{CUDA_ERROR_CAPTURED_EVENT, "CUDA_ERROR_CAPTURED_EVENT", "operation not permitted on an event last recorded in a capturing stream"},
	{CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD", "attempt to terminate a thread-local capture sequence from another thread"},
};

// cuda_of_ptx is the CUDA version whose driver is the first to take a PTX version.
int cuda_of_ptx(unsigned ptx) {
	constexpr int table[][2] = {{60, 9000},  {61, 9010},  {62, 9020},  {63, 10000}, {64, 10010}, {65, 10020}, {70, 11000}, {71, 11010},
	                            {72, 11020}, {73, 11030}, {74, 11040}, {75, 11050}, {76, 11060}, {77, 11070}, {78, 11080}, {80, 12000},
	                            {81, 12010}, {82, 12020}, {83, 12030}, {84, 12040}, {85, 12050}};
	int version = 9000;
	for (auto& row : table)
		if (unsigned(row[0]) <= ptx) version = row[1];
	return version;
}

// most_shared is the most shared memory of a block, by the CUDA C++ guide's table
// of compute capabilities.
int most_shared(unsigned capability) {
	switch (capability) {
	case 70: return 96 << 10;
	case 75: return 64 << 10;
	case 80: case 87: return 163 << 10;
	case 86: case 89: case 120: return 99 << 10;
	}
	return (capability < 70 ? 48 : 227) << 10;
}

const Named* find(CUresult r) {
	for (const Named& e : errors)
		if (e.r == r) return &e;
	return nullptr;
}

} // namespace

CUresult ready() {
	if (!initialised) return CUDA_ERROR_NOT_INITIALIZED;
	if (!current) return CUDA_ERROR_INVALID_CONTEXT;
	if (++calls == options.fail) stuck(CUDA_ERROR_ECC_UNCORRECTABLE, "the device is lost at call " + std::to_string(options.fail));
	return stuck_result();
}

void count_work() {
	if (++work == options.fault) stuck(CUDA_ERROR_LAUNCH_FAILED, "the device is lost after operation " + std::to_string(options.fault));
}

void stuck(CUresult r, const std::string& what) {
	std::lock_guard<std::mutex> g(lock);
	if (sticky) return;
	message = what;
	sticky = r;
}

CUresult stuck_result() { return CUresult(int(sticky)); }

} // namespace sim

using namespace sim;

extern "C" {

CUresult cuInit(unsigned int flags) {
	if (flags) return CUDA_ERROR_INVALID_VALUE;
	if (initialised) return CUDA_SUCCESS;
	std::string wrong = parse_options(getenv("GRADCUE_SIM"), options);
	if (!wrong.empty()) {
		fprintf(stderr, "cuda-sim: GRADCUE_SIM: %s\n", wrong.c_str());
		return CUDA_ERROR_INVALID_VALUE;
	}
	initialised = true;
	return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
	*version = cuda_of_ptx(options.ptx);
	return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult r, const char** name) {
	const Named* e = find(r);
	*name = e ? e->name : nullptr;
	return e ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// The text of the error that stays says what happened, which no real driver does.
CUresult cuGetErrorString(CUresult r, const char** text) {
	const Named* e = find(r);
	*text = r == stuck_result() && r ? message.c_str() : e ? e->text : nullptr;
	return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetCount(int* n) {
	*n = 1;
	return initialised ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult cuDeviceGet(CUdevice* d, int ordinal) {
	*d = 0;
	return ordinal ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int n, CUdevice) {
	snprintf(name, size_t(n), "gradcue simulated device");
	return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(size_t* n, CUdevice) {
	*n = options.memory;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* v, CUdevice_attribute a, CUdevice) {
	switch (int(a)) {
	case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *v = 1024; break;
	case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: *v = 48 << 10; break;
	case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *v = most_shared(options.capability); break;
	case CU_DEVICE_ATTRIBUTE_WARP_SIZE: *v = 32; break;
	case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *v = 2; break;
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *v = int(options.capability / 10); break;
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *v = int(options.capability % 10); break;
	case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT: *v = 2; break;
	case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING: *v = 1; break;
	default: *v = 0;
	}
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* c, CUdevice d) {
	if (d) return CUDA_ERROR_INVALID_DEVICE;
	if (CUresult r = primary.users ? CUDA_SUCCESS : reserve(context_bytes)) return r;
	primary.users++;
	*c = &primary;
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice) {
	if (primary.users == 0) return CUDA_ERROR_INVALID_CONTEXT;
	if (--primary.users == 0) unreserve(context_bytes);
	return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext c) {
	current = c;
	return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* c) {
	*c = current;
	return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice* d) {
	*d = 0;
	return ready();
}

} // extern "C"
