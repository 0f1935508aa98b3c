#include "context.h"
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
std::mutex lock;
std::string message; // of the sticky error
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
	{CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
	{CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
	{CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
	{CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
	{CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
};

const Named* find(CUresult r) {
	for (const Named& e : errors)
		if (e.r == r) return &e;
	return nullptr;
}

} // namespace

CUresult ready() {
	if (!initialised) return CUDA_ERROR_NOT_INITIALIZED;
	if (!current) return CUDA_ERROR_INVALID_CONTEXT;
	return stuck_result();
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
	*version = 12040;
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
	case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *v = 163 << 10; break; // of sm_80
	case CU_DEVICE_ATTRIBUTE_WARP_SIZE: *v = 32; break;
	case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *v = 2; break;
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *v = 8; break;
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *v = 0; break;
	case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT: *v = 2; break;
	case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING: *v = 1; break;
	default: *v = 0;
	}
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* c, CUdevice d) {
	if (d) return CUDA_ERROR_INVALID_DEVICE;
	primary.users++;
	*c = &primary;
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice) {
	return primary.users-- > 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
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
