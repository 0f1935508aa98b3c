// The null driver: it answers success and does nothing, so that what a program
// spends on its own side of the driver can be measured. Device memory is only
// addresses, pinned memory is real, and all kernels exist.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#pragma GCC visibility push(default)
#include "cuda.h"
#pragma GCC visibility pop

namespace {

constexpr size_t device_bytes = size_t(1) << 40;
std::atomic<uint64_t> next{uint64_t(1) << 40};

// handle is a new value that is no pointer to anything.
template <class T> CUresult handle(T* h) {
	*h = reinterpret_cast<T>(uintptr_t(next += 256));
	return CUDA_SUCCESS;
}

thread_local CUcontext current;

} // namespace

extern "C" {

CUresult cuInit(unsigned int) { return CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int* v) { return *v = 12040, CUDA_SUCCESS; }
CUresult cuGetErrorName(CUresult, const char** s) { return *s = "none", CUDA_SUCCESS; }
CUresult cuGetErrorString(CUresult, const char** s) { return *s = "the null driver has no errors", CUDA_SUCCESS; }

CUresult cuDeviceGetCount(int* n) { return *n = 1, CUDA_SUCCESS; }
CUresult cuDeviceGet(CUdevice* d, int) { return *d = 0, CUDA_SUCCESS; }
CUresult cuDeviceGetName(char* name, int n, CUdevice) { return snprintf(name, size_t(n), "gradcue null device"), CUDA_SUCCESS; }
CUresult cuDeviceTotalMem(size_t* n, CUdevice) { return *n = device_bytes, CUDA_SUCCESS; }
CUresult cuDeviceGetAttribute(int* v, CUdevice_attribute a, CUdevice) {
	bool major = a == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, minor = a == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR;
	return *v = major ? 9 : minor ? 0 : 1, CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* c, CUdevice) { return handle(c); }
CUresult cuDevicePrimaryCtxRelease(CUdevice) { return CUDA_SUCCESS; }
CUresult cuCtxSetCurrent(CUcontext c) { return current = c, CUDA_SUCCESS; }
CUresult cuCtxGetCurrent(CUcontext* c) { return *c = current, CUDA_SUCCESS; }
CUresult cuCtxSynchronize(void) { return CUDA_SUCCESS; }

CUresult cuModuleLoadData(CUmodule* m, const void*) { return handle(m); }
CUresult cuModuleLoadDataEx(CUmodule* m, const void*, unsigned int, CUjit_option*, void**) { return handle(m); }
CUresult cuModuleUnload(CUmodule) { return CUDA_SUCCESS; }
CUresult cuModuleGetFunction(CUfunction* f, CUmodule, const char*) { return handle(f); }
CUresult cuFuncGetAttribute(int* v, CUfunction_attribute, CUfunction) { return *v = 0, CUDA_SUCCESS; }
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; }
CUresult cuLaunchKernel(CUfunction, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, CUstream, void**, void**) {
	return CUDA_SUCCESS;
}

CUresult cuMemGetInfo(size_t* available, size_t* total) { return *available = *total = device_bytes, CUDA_SUCCESS; }
CUresult cuMemAlloc(CUdeviceptr* p, size_t n) { return *p = next += (n + 255) / 256 * 256, CUDA_SUCCESS; }
CUresult cuMemFree(CUdeviceptr) { return CUDA_SUCCESS; }
CUresult cuMemHostAlloc(void** p, size_t n, unsigned int) { return *p = calloc(1, n), *p ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY; }
CUresult cuMemFreeHost(void* p) { return free(p), CUDA_SUCCESS; }
CUresult cuMemcpyHtoD(CUdeviceptr, const void*, size_t) { return CUDA_SUCCESS; }
CUresult cuMemcpyDtoH(void*, CUdeviceptr, size_t) { return CUDA_SUCCESS; }
CUresult cuMemcpyHtoDAsync(CUdeviceptr, const void*, size_t, CUstream) { return CUDA_SUCCESS; }
CUresult cuMemcpyDtoHAsync(void*, CUdeviceptr, size_t, CUstream) { return CUDA_SUCCESS; }
CUresult cuMemcpyDtoDAsync(CUdeviceptr, CUdeviceptr, size_t, CUstream) { return CUDA_SUCCESS; }
CUresult cuMemsetD8Async(CUdeviceptr, unsigned char, size_t, CUstream) { return CUDA_SUCCESS; }
CUresult cuMemsetD32Async(CUdeviceptr, unsigned int, size_t, CUstream) { return CUDA_SUCCESS; }

CUresult cuStreamCreate(CUstream* s, unsigned int) { return handle(s); }
CUresult cuStreamDestroy(CUstream) { return CUDA_SUCCESS; }
CUresult cuStreamSynchronize(CUstream) { return CUDA_SUCCESS; }
CUresult cuStreamQuery(CUstream) { return CUDA_SUCCESS; }
CUresult cuStreamWaitEvent(CUstream, CUevent, unsigned int) { return CUDA_SUCCESS; }
CUresult cuEventCreate(CUevent* e, unsigned int) { return handle(e); }
CUresult cuEventDestroy(CUevent) { return CUDA_SUCCESS; }
CUresult cuEventRecord(CUevent, CUstream) { return CUDA_SUCCESS; }
CUresult cuEventSynchronize(CUevent) { return CUDA_SUCCESS; }
CUresult cuEventElapsedTime(float* ms, CUevent, CUevent) { return *ms = 0, CUDA_SUCCESS; }

CUresult cuStreamBeginCapture(CUstream, CUstreamCaptureMode) { return CUDA_SUCCESS; }
CUresult cuStreamEndCapture(CUstream, CUgraph* g) { return handle(g); }
CUresult cuGraphInstantiateWithFlags(CUgraphExec* e, CUgraph, unsigned long long) { return handle(e); }
CUresult cuGraphLaunch(CUgraphExec, CUstream) { return CUDA_SUCCESS; }
CUresult cuGraphDestroy(CUgraph) { return CUDA_SUCCESS; }
CUresult cuGraphExecDestroy(CUgraphExec) { return CUDA_SUCCESS; }

} // extern "C"
