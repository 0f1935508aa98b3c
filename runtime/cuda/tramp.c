// Code generated from cuda.h by package tramp. DO NOT EDIT.

//go:build cuda

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include "cuda.h"
#include "driver.h"

#define HIDDEN __attribute__((visibility("hidden")))

enum {
	i_cuInit,
	i_cuDriverGetVersion,
	i_cuGetErrorName,
	i_cuGetErrorString,
	i_cuDeviceGet,
	i_cuDeviceGetCount,
	i_cuDeviceGetName,
	i_cuDeviceGetUuid,
	i_cuDeviceTotalMem_v2,
	i_cuDeviceGetAttribute,
	i_cuDeviceCanAccessPeer,
	i_cuDeviceGetP2PAttribute,
	i_cuDevicePrimaryCtxRetain,
	i_cuDevicePrimaryCtxRelease_v2,
	i_cuDevicePrimaryCtxReset_v2,
	i_cuDevicePrimaryCtxSetFlags_v2,
	i_cuDevicePrimaryCtxGetState,
	i_cuCtxCreate_v2,
	i_cuCtxDestroy_v2,
	i_cuCtxPushCurrent_v2,
	i_cuCtxPopCurrent_v2,
	i_cuCtxSetCurrent,
	i_cuCtxGetCurrent,
	i_cuCtxGetDevice,
	i_cuCtxGetFlags,
	i_cuCtxSynchronize,
	i_cuCtxSetLimit,
	i_cuCtxGetLimit,
	i_cuCtxGetCacheConfig,
	i_cuCtxSetCacheConfig,
	i_cuCtxGetSharedMemConfig,
	i_cuCtxSetSharedMemConfig,
	i_cuCtxGetApiVersion,
	i_cuCtxGetStreamPriorityRange,
	i_cuCtxResetPersistingL2Cache,
	i_cuCtxEnablePeerAccess,
	i_cuCtxDisablePeerAccess,
	i_cuModuleLoad,
	i_cuModuleLoadData,
	i_cuModuleLoadDataEx,
	i_cuModuleLoadFatBinary,
	i_cuModuleUnload,
	i_cuModuleGetFunction,
	i_cuModuleGetGlobal_v2,
	i_cuModuleGetTexRef,
	i_cuModuleGetSurfRef,
	i_cuLinkCreate_v2,
	i_cuLinkAddData_v2,
	i_cuLinkAddFile_v2,
	i_cuLinkComplete,
	i_cuLinkDestroy,
	i_cuFuncGetAttribute,
	i_cuFuncSetAttribute,
	i_cuFuncSetCacheConfig,
	i_cuFuncSetSharedMemConfig,
	i_cuOccupancyMaxActiveBlocksPerMultiprocessor,
	i_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
	i_cuLaunchKernel,
	i_cuMemGetInfo_v2,
	i_cuMemAlloc_v2,
	i_cuMemAllocPitch_v2,
	i_cuMemAllocManaged,
	i_cuMemFree_v2,
	i_cuMemGetAddressRange_v2,
	i_cuMemHostAlloc,
	i_cuMemFreeHost,
	i_cuMemHostRegister_v2,
	i_cuMemHostUnregister,
	i_cuMemAdvise,
	i_cuMemPrefetchAsync,
	i_cuPointerGetAttribute,
	i_cuPointerSetAttribute,
	i_cuMemcpy,
	i_cuMemcpyAsync,
	i_cuMemcpyPeer,
	i_cuMemcpyPeerAsync,
	i_cuMemcpyHtoD_v2,
	i_cuMemcpyHtoDAsync_v2,
	i_cuMemcpyDtoH_v2,
	i_cuMemcpyDtoHAsync_v2,
	i_cuMemcpyDtoD_v2,
	i_cuMemcpyDtoDAsync_v2,
	i_cuMemcpyDtoA_v2,
	i_cuMemcpyAtoD_v2,
	i_cuMemcpyHtoA_v2,
	i_cuMemcpyHtoAAsync_v2,
	i_cuMemcpyAtoH_v2,
	i_cuMemcpyAtoHAsync_v2,
	i_cuMemcpyAtoA_v2,
	i_cuMemcpy2D_v2,
	i_cuMemcpy2DUnaligned_v2,
	i_cuMemcpy2DAsync_v2,
	i_cuMemcpy3D_v2,
	i_cuMemcpy3DAsync_v2,
	i_cuMemcpy3DPeer,
	i_cuMemcpy3DPeerAsync,
	i_cuMemsetD8_v2,
	i_cuMemsetD16_v2,
	i_cuMemsetD32_v2,
	i_cuMemsetD8Async,
	i_cuMemsetD16Async,
	i_cuMemsetD32Async,
	i_cuMemsetD2D8_v2,
	i_cuMemsetD2D16_v2,
	i_cuMemsetD2D32_v2,
	i_cuMemsetD2D8Async,
	i_cuMemsetD2D16Async,
	i_cuMemsetD2D32Async,
	i_cuStreamBeginCapture_v2,
	i_cuStreamEndCapture,
	i_cuStreamCreate,
	i_cuStreamCreateWithPriority,
	i_cuStreamDestroy_v2,
	i_cuStreamGetPriority,
	i_cuStreamGetFlags,
	i_cuStreamQuery,
	i_cuStreamSynchronize,
	i_cuStreamWaitEvent,
	i_cuStreamWaitValue32,
	i_cuStreamWriteValue32,
	i_cuStreamAttachMemAsync,
	i_cuEventCreate,
	i_cuEventDestroy_v2,
	i_cuEventRecord,
	i_cuEventQuery,
	i_cuEventSynchronize,
	i_cuEventElapsedTime,
	i_cuGraphCreate,
	i_cuGraphDestroy,
	i_cuGraphClone,
	i_cuGraphAddKernelNode,
	i_cuGraphAddMemcpyNode,
	i_cuGraphAddMemsetNode,
	i_cuGraphAddHostNode,
	i_cuGraphAddChildGraphNode,
	i_cuGraphAddEmptyNode,
	i_cuGraphAddDependencies,
	i_cuGraphGetEdges,
	i_cuGraphDestroyNode,
	i_cuGraphInstantiateWithFlags,
	i_cuGraphLaunch,
	i_cuGraphExecDestroy,
	i_cuArrayCreate_v2,
	i_cuArrayGetDescriptor_v2,
	i_cuArrayDestroy,
	i_cuArray3DCreate_v2,
	i_cuArray3DGetDescriptor_v2,
	i_cuSurfRefSetArray,
	i_cuSurfRefGetArray,
	i_cuTexRefSetArray,
	i_cuTexRefSetAddress_v2,
	i_cuTexRefSetAddress2D_v3,
	i_cuTexRefSetFormat,
	i_cuTexRefSetAddressMode,
	i_cuTexRefSetFilterMode,
	i_cuTexRefSetMipmapFilterMode,
	i_cuTexRefSetMipmapLevelBias,
	i_cuTexRefSetMipmapLevelClamp,
	i_cuTexRefSetMaxAnisotropy,
	i_cuTexRefSetBorderColor,
	i_cuTexRefSetFlags,
	i_cuTexRefGetAddress_v2,
	i_cuTexRefGetArray,
	i_cuTexRefGetAddressMode,
	i_cuTexRefGetFilterMode,
	i_cuTexRefGetFormat,
	i_cuTexRefGetMaxAnisotropy,
	i_cuTexRefGetBorderColor,
	i_cuTexRefGetFlags,
	n_symbols
};

static const char *const symbols[n_symbols] = {
	"cuInit",
	"cuDriverGetVersion",
	"cuGetErrorName",
	"cuGetErrorString",
	"cuDeviceGet",
	"cuDeviceGetCount",
	"cuDeviceGetName",
	"cuDeviceGetUuid",
	"cuDeviceTotalMem_v2",
	"cuDeviceGetAttribute",
	"cuDeviceCanAccessPeer",
	"cuDeviceGetP2PAttribute",
	"cuDevicePrimaryCtxRetain",
	"cuDevicePrimaryCtxRelease_v2",
	"cuDevicePrimaryCtxReset_v2",
	"cuDevicePrimaryCtxSetFlags_v2",
	"cuDevicePrimaryCtxGetState",
	"cuCtxCreate_v2",
	"cuCtxDestroy_v2",
	"cuCtxPushCurrent_v2",
	"cuCtxPopCurrent_v2",
	"cuCtxSetCurrent",
	"cuCtxGetCurrent",
	"cuCtxGetDevice",
	"cuCtxGetFlags",
	"cuCtxSynchronize",
	"cuCtxSetLimit",
	"cuCtxGetLimit",
	"cuCtxGetCacheConfig",
	"cuCtxSetCacheConfig",
	"cuCtxGetSharedMemConfig",
	"cuCtxSetSharedMemConfig",
	"cuCtxGetApiVersion",
	"cuCtxGetStreamPriorityRange",
	"cuCtxResetPersistingL2Cache",
	"cuCtxEnablePeerAccess",
	"cuCtxDisablePeerAccess",
	"cuModuleLoad",
	"cuModuleLoadData",
	"cuModuleLoadDataEx",
	"cuModuleLoadFatBinary",
	"cuModuleUnload",
	"cuModuleGetFunction",
	"cuModuleGetGlobal_v2",
	"cuModuleGetTexRef",
	"cuModuleGetSurfRef",
	"cuLinkCreate_v2",
	"cuLinkAddData_v2",
	"cuLinkAddFile_v2",
	"cuLinkComplete",
	"cuLinkDestroy",
	"cuFuncGetAttribute",
	"cuFuncSetAttribute",
	"cuFuncSetCacheConfig",
	"cuFuncSetSharedMemConfig",
	"cuOccupancyMaxActiveBlocksPerMultiprocessor",
	"cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
	"cuLaunchKernel",
	"cuMemGetInfo_v2",
	"cuMemAlloc_v2",
	"cuMemAllocPitch_v2",
	"cuMemAllocManaged",
	"cuMemFree_v2",
	"cuMemGetAddressRange_v2",
	"cuMemHostAlloc",
	"cuMemFreeHost",
	"cuMemHostRegister_v2",
	"cuMemHostUnregister",
	"cuMemAdvise",
	"cuMemPrefetchAsync",
	"cuPointerGetAttribute",
	"cuPointerSetAttribute",
	"cuMemcpy",
	"cuMemcpyAsync",
	"cuMemcpyPeer",
	"cuMemcpyPeerAsync",
	"cuMemcpyHtoD_v2",
	"cuMemcpyHtoDAsync_v2",
	"cuMemcpyDtoH_v2",
	"cuMemcpyDtoHAsync_v2",
	"cuMemcpyDtoD_v2",
	"cuMemcpyDtoDAsync_v2",
	"cuMemcpyDtoA_v2",
	"cuMemcpyAtoD_v2",
	"cuMemcpyHtoA_v2",
	"cuMemcpyHtoAAsync_v2",
	"cuMemcpyAtoH_v2",
	"cuMemcpyAtoHAsync_v2",
	"cuMemcpyAtoA_v2",
	"cuMemcpy2D_v2",
	"cuMemcpy2DUnaligned_v2",
	"cuMemcpy2DAsync_v2",
	"cuMemcpy3D_v2",
	"cuMemcpy3DAsync_v2",
	"cuMemcpy3DPeer",
	"cuMemcpy3DPeerAsync",
	"cuMemsetD8_v2",
	"cuMemsetD16_v2",
	"cuMemsetD32_v2",
	"cuMemsetD8Async",
	"cuMemsetD16Async",
	"cuMemsetD32Async",
	"cuMemsetD2D8_v2",
	"cuMemsetD2D16_v2",
	"cuMemsetD2D32_v2",
	"cuMemsetD2D8Async",
	"cuMemsetD2D16Async",
	"cuMemsetD2D32Async",
	"cuStreamBeginCapture_v2",
	"cuStreamEndCapture",
	"cuStreamCreate",
	"cuStreamCreateWithPriority",
	"cuStreamDestroy_v2",
	"cuStreamGetPriority",
	"cuStreamGetFlags",
	"cuStreamQuery",
	"cuStreamSynchronize",
	"cuStreamWaitEvent",
	"cuStreamWaitValue32",
	"cuStreamWriteValue32",
	"cuStreamAttachMemAsync",
	"cuEventCreate",
	"cuEventDestroy_v2",
	"cuEventRecord",
	"cuEventQuery",
	"cuEventSynchronize",
	"cuEventElapsedTime",
	"cuGraphCreate",
	"cuGraphDestroy",
	"cuGraphClone",
	"cuGraphAddKernelNode",
	"cuGraphAddMemcpyNode",
	"cuGraphAddMemsetNode",
	"cuGraphAddHostNode",
	"cuGraphAddChildGraphNode",
	"cuGraphAddEmptyNode",
	"cuGraphAddDependencies",
	"cuGraphGetEdges",
	"cuGraphDestroyNode",
	"cuGraphInstantiateWithFlags",
	"cuGraphLaunch",
	"cuGraphExecDestroy",
	"cuArrayCreate_v2",
	"cuArrayGetDescriptor_v2",
	"cuArrayDestroy",
	"cuArray3DCreate_v2",
	"cuArray3DGetDescriptor_v2",
	"cuSurfRefSetArray",
	"cuSurfRefGetArray",
	"cuTexRefSetArray",
	"cuTexRefSetAddress_v2",
	"cuTexRefSetAddress2D_v3",
	"cuTexRefSetFormat",
	"cuTexRefSetAddressMode",
	"cuTexRefSetFilterMode",
	"cuTexRefSetMipmapFilterMode",
	"cuTexRefSetMipmapLevelBias",
	"cuTexRefSetMipmapLevelClamp",
	"cuTexRefSetMaxAnisotropy",
	"cuTexRefSetBorderColor",
	"cuTexRefSetFlags",
	"cuTexRefGetAddress_v2",
	"cuTexRefGetArray",
	"cuTexRefGetAddressMode",
	"cuTexRefGetFilterMode",
	"cuTexRefGetFormat",
	"cuTexRefGetMaxAnisotropy",
	"cuTexRefGetBorderColor",
	"cuTexRefGetFlags",
};

static void *bound[n_symbols];

static void *library;
static char failure[512];

static CUresult missing(void)
{
	return library ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_NOT_INITIALIZED;
}

HIDDEN const char *gradcue_bind(const char *path)
{
	if (library)
		return NULL;
	void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!lib) {
		snprintf(failure, sizeof failure, "%s", dlerror());
		return failure;
	}
	if (!dlsym(lib, "cuInit")) {
		snprintf(failure, sizeof failure, "%s: it has no function cuInit, so it is no CUDA driver", path);
		dlclose(lib);
		return failure;
	}
	for (int i = 0; i < n_symbols; i++)
		bound[i] = dlsym(lib, symbols[i]);
	library = lib;
	return NULL;
}

HIDDEN void *gradcue_symbol(const char *name)
{
	return library ? dlsym(library, name) : NULL;
}

HIDDEN CUresult cuInit(unsigned int flags)
{
	CUresult (*f)(unsigned int) = (CUresult (*)(unsigned int))bound[i_cuInit];
	return f ? f(flags) : (library ? missing() : CUDA_SUCCESS);
}

HIDDEN CUresult cuDriverGetVersion(int *version)
{
	CUresult (*f)(int *) = (CUresult (*)(int *))bound[i_cuDriverGetVersion];
	return f ? f(version) : missing();
}

HIDDEN CUresult cuGetErrorName(CUresult error, const char **str)
{
	CUresult (*f)(CUresult, const char **) = (CUresult (*)(CUresult, const char **))bound[i_cuGetErrorName];
	return f ? f(error, str) : missing();
}

HIDDEN CUresult cuGetErrorString(CUresult error, const char **str)
{
	CUresult (*f)(CUresult, const char **) = (CUresult (*)(CUresult, const char **))bound[i_cuGetErrorString];
	return f ? f(error, str) : missing();
}

HIDDEN CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
	CUresult (*f)(CUdevice *, int) = (CUresult (*)(CUdevice *, int))bound[i_cuDeviceGet];
	return f ? f(device, ordinal) : missing();
}

HIDDEN CUresult cuDeviceGetCount(int *count)
{
	CUresult (*f)(int *) = (CUresult (*)(int *))bound[i_cuDeviceGetCount];
	return f ? f(count) : missing();
}

HIDDEN CUresult cuDeviceGetName(char *name, int len, CUdevice dev)
{
	CUresult (*f)(char *, int, CUdevice) = (CUresult (*)(char *, int, CUdevice))bound[i_cuDeviceGetName];
	return f ? f(name, len, dev) : missing();
}

HIDDEN CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice dev)
{
	CUresult (*f)(CUuuid *, CUdevice) = (CUresult (*)(CUuuid *, CUdevice))bound[i_cuDeviceGetUuid];
	return f ? f(uuid, dev) : missing();
}

HIDDEN CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev)
{
	CUresult (*f)(size_t *, CUdevice) = (CUresult (*)(size_t *, CUdevice))bound[i_cuDeviceTotalMem_v2];
	return f ? f(bytes, dev) : missing();
}

HIDDEN CUresult cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev)
{
	CUresult (*f)(int *, CUdevice_attribute, CUdevice) = (CUresult (*)(int *, CUdevice_attribute, CUdevice))bound[i_cuDeviceGetAttribute];
	return f ? f(pi, attrib, dev) : missing();
}

HIDDEN CUresult cuDeviceCanAccessPeer(int *can, CUdevice dev, CUdevice peer)
{
	CUresult (*f)(int *, CUdevice, CUdevice) = (CUresult (*)(int *, CUdevice, CUdevice))bound[i_cuDeviceCanAccessPeer];
	return f ? f(can, dev, peer) : missing();
}

HIDDEN CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attrib, CUdevice src, CUdevice dst)
{
	CUresult (*f)(int *, CUdevice_P2PAttribute, CUdevice, CUdevice) = (CUresult (*)(int *, CUdevice_P2PAttribute, CUdevice, CUdevice))bound[i_cuDeviceGetP2PAttribute];
	return f ? f(value, attrib, src, dst) : missing();
}

HIDDEN CUresult cuDevicePrimaryCtxRetain(CUcontext *ctx, CUdevice dev)
{
	CUresult (*f)(CUcontext *, CUdevice) = (CUresult (*)(CUcontext *, CUdevice))bound[i_cuDevicePrimaryCtxRetain];
	return f ? f(ctx, dev) : missing();
}

HIDDEN CUresult cuDevicePrimaryCtxRelease_v2(CUdevice dev)
{
	CUresult (*f)(CUdevice) = (CUresult (*)(CUdevice))bound[i_cuDevicePrimaryCtxRelease_v2];
	return f ? f(dev) : missing();
}

HIDDEN CUresult cuDevicePrimaryCtxReset_v2(CUdevice dev)
{
	CUresult (*f)(CUdevice) = (CUresult (*)(CUdevice))bound[i_cuDevicePrimaryCtxReset_v2];
	return f ? f(dev) : missing();
}

HIDDEN CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags)
{
	CUresult (*f)(CUdevice, unsigned int) = (CUresult (*)(CUdevice, unsigned int))bound[i_cuDevicePrimaryCtxSetFlags_v2];
	return f ? f(dev, flags) : missing();
}

HIDDEN CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active)
{
	CUresult (*f)(CUdevice, unsigned int *, int *) = (CUresult (*)(CUdevice, unsigned int *, int *))bound[i_cuDevicePrimaryCtxGetState];
	return f ? f(dev, flags, active) : missing();
}

HIDDEN CUresult cuCtxCreate_v2(CUcontext *ctx, unsigned int flags, CUdevice dev)
{
	CUresult (*f)(CUcontext *, unsigned int, CUdevice) = (CUresult (*)(CUcontext *, unsigned int, CUdevice))bound[i_cuCtxCreate_v2];
	return f ? f(ctx, flags, dev) : missing();
}

HIDDEN CUresult cuCtxDestroy_v2(CUcontext ctx)
{
	CUresult (*f)(CUcontext) = (CUresult (*)(CUcontext))bound[i_cuCtxDestroy_v2];
	return f ? f(ctx) : missing();
}

HIDDEN CUresult cuCtxPushCurrent_v2(CUcontext ctx)
{
	CUresult (*f)(CUcontext) = (CUresult (*)(CUcontext))bound[i_cuCtxPushCurrent_v2];
	return f ? f(ctx) : missing();
}

HIDDEN CUresult cuCtxPopCurrent_v2(CUcontext *ctx)
{
	CUresult (*f)(CUcontext *) = (CUresult (*)(CUcontext *))bound[i_cuCtxPopCurrent_v2];
	return f ? f(ctx) : missing();
}

HIDDEN CUresult cuCtxSetCurrent(CUcontext ctx)
{
	CUresult (*f)(CUcontext) = (CUresult (*)(CUcontext))bound[i_cuCtxSetCurrent];
	return f ? f(ctx) : missing();
}

HIDDEN CUresult cuCtxGetCurrent(CUcontext *ctx)
{
	CUresult (*f)(CUcontext *) = (CUresult (*)(CUcontext *))bound[i_cuCtxGetCurrent];
	return f ? f(ctx) : missing();
}

HIDDEN CUresult cuCtxGetDevice(CUdevice *device)
{
	CUresult (*f)(CUdevice *) = (CUresult (*)(CUdevice *))bound[i_cuCtxGetDevice];
	return f ? f(device) : missing();
}

HIDDEN CUresult cuCtxGetFlags(unsigned int *flags)
{
	CUresult (*f)(unsigned int *) = (CUresult (*)(unsigned int *))bound[i_cuCtxGetFlags];
	return f ? f(flags) : missing();
}

HIDDEN CUresult cuCtxSynchronize(void)
{
	CUresult (*f)(void) = (CUresult (*)(void))bound[i_cuCtxSynchronize];
	return f ? f() : missing();
}

HIDDEN CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
	CUresult (*f)(CUlimit, size_t) = (CUresult (*)(CUlimit, size_t))bound[i_cuCtxSetLimit];
	return f ? f(limit, value) : missing();
}

HIDDEN CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
	CUresult (*f)(size_t *, CUlimit) = (CUresult (*)(size_t *, CUlimit))bound[i_cuCtxGetLimit];
	return f ? f(value, limit) : missing();
}

HIDDEN CUresult cuCtxGetCacheConfig(CUfunc_cache *config)
{
	CUresult (*f)(CUfunc_cache *) = (CUresult (*)(CUfunc_cache *))bound[i_cuCtxGetCacheConfig];
	return f ? f(config) : missing();
}

HIDDEN CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
	CUresult (*f)(CUfunc_cache) = (CUresult (*)(CUfunc_cache))bound[i_cuCtxSetCacheConfig];
	return f ? f(config) : missing();
}

HIDDEN CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config)
{
	CUresult (*f)(CUsharedconfig *) = (CUresult (*)(CUsharedconfig *))bound[i_cuCtxGetSharedMemConfig];
	return f ? f(config) : missing();
}

HIDDEN CUresult cuCtxSetSharedMemConfig(CUsharedconfig config)
{
	CUresult (*f)(CUsharedconfig) = (CUresult (*)(CUsharedconfig))bound[i_cuCtxSetSharedMemConfig];
	return f ? f(config) : missing();
}

HIDDEN CUresult cuCtxGetApiVersion(CUcontext ctx, unsigned int *version)
{
	CUresult (*f)(CUcontext, unsigned int *) = (CUresult (*)(CUcontext, unsigned int *))bound[i_cuCtxGetApiVersion];
	return f ? f(ctx, version) : missing();
}

HIDDEN CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
	CUresult (*f)(int *, int *) = (CUresult (*)(int *, int *))bound[i_cuCtxGetStreamPriorityRange];
	return f ? f(least, greatest) : missing();
}

HIDDEN CUresult cuCtxResetPersistingL2Cache(void)
{
	CUresult (*f)(void) = (CUresult (*)(void))bound[i_cuCtxResetPersistingL2Cache];
	return f ? f() : missing();
}

HIDDEN CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags)
{
	CUresult (*f)(CUcontext, unsigned int) = (CUresult (*)(CUcontext, unsigned int))bound[i_cuCtxEnablePeerAccess];
	return f ? f(peer, flags) : missing();
}

HIDDEN CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
	CUresult (*f)(CUcontext) = (CUresult (*)(CUcontext))bound[i_cuCtxDisablePeerAccess];
	return f ? f(peer) : missing();
}

HIDDEN CUresult cuModuleLoad(CUmodule *module, const char *name)
{
	CUresult (*f)(CUmodule *, const char *) = (CUresult (*)(CUmodule *, const char *))bound[i_cuModuleLoad];
	return f ? f(module, name) : missing();
}

HIDDEN CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
	CUresult (*f)(CUmodule *, const void *) = (CUresult (*)(CUmodule *, const void *))bound[i_cuModuleLoadData];
	return f ? f(module, image) : missing();
}

HIDDEN CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int n, CUjit_option *options, void **values)
{
	CUresult (*f)(CUmodule *, const void *, unsigned int, CUjit_option *, void **) = (CUresult (*)(CUmodule *, const void *, unsigned int, CUjit_option *, void **))bound[i_cuModuleLoadDataEx];
	return f ? f(module, image, n, options, values) : missing();
}

HIDDEN CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image)
{
	CUresult (*f)(CUmodule *, const void *) = (CUresult (*)(CUmodule *, const void *))bound[i_cuModuleLoadFatBinary];
	return f ? f(module, image) : missing();
}

HIDDEN CUresult cuModuleUnload(CUmodule module)
{
	CUresult (*f)(CUmodule) = (CUresult (*)(CUmodule))bound[i_cuModuleUnload];
	return f ? f(module) : missing();
}

HIDDEN CUresult cuModuleGetFunction(CUfunction *func, CUmodule module, const char *name)
{
	CUresult (*f)(CUfunction *, CUmodule, const char *) = (CUresult (*)(CUfunction *, CUmodule, const char *))bound[i_cuModuleGetFunction];
	return f ? f(func, module, name) : missing();
}

HIDDEN CUresult cuModuleGetGlobal_v2(CUdeviceptr *ptr, size_t *bytes, CUmodule module, const char *name)
{
	CUresult (*f)(CUdeviceptr *, size_t *, CUmodule, const char *) = (CUresult (*)(CUdeviceptr *, size_t *, CUmodule, const char *))bound[i_cuModuleGetGlobal_v2];
	return f ? f(ptr, bytes, module, name) : missing();
}

HIDDEN CUresult cuModuleGetTexRef(CUtexref *ref, CUmodule module, const char *name)
{
	CUresult (*f)(CUtexref *, CUmodule, const char *) = (CUresult (*)(CUtexref *, CUmodule, const char *))bound[i_cuModuleGetTexRef];
	return f ? f(ref, module, name) : missing();
}

HIDDEN CUresult cuModuleGetSurfRef(CUsurfref *ref, CUmodule module, const char *name)
{
	CUresult (*f)(CUsurfref *, CUmodule, const char *) = (CUresult (*)(CUsurfref *, CUmodule, const char *))bound[i_cuModuleGetSurfRef];
	return f ? f(ref, module, name) : missing();
}

HIDDEN CUresult cuLinkCreate_v2(unsigned int n, CUjit_option *options, void **values, CUlinkState *state)
{
	CUresult (*f)(unsigned int, CUjit_option *, void **, CUlinkState *) = (CUresult (*)(unsigned int, CUjit_option *, void **, CUlinkState *))bound[i_cuLinkCreate_v2];
	return f ? f(n, options, values, state) : missing();
}

HIDDEN CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name, unsigned int n, CUjit_option *options, void **values)
{
	CUresult (*f)(CUlinkState, CUjitInputType, void *, size_t, const char *, unsigned int, CUjit_option *, void **) = (CUresult (*)(CUlinkState, CUjitInputType, void *, size_t, const char *, unsigned int, CUjit_option *, void **))bound[i_cuLinkAddData_v2];
	return f ? f(state, type, data, size, name, n, options, values) : missing();
}

HIDDEN CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path, unsigned int n, CUjit_option *options, void **values)
{
	CUresult (*f)(CUlinkState, CUjitInputType, const char *, unsigned int, CUjit_option *, void **) = (CUresult (*)(CUlinkState, CUjitInputType, const char *, unsigned int, CUjit_option *, void **))bound[i_cuLinkAddFile_v2];
	return f ? f(state, type, path, n, options, values) : missing();
}

HIDDEN CUresult cuLinkComplete(CUlinkState state, void **cubin, size_t *size)
{
	CUresult (*f)(CUlinkState, void **, size_t *) = (CUresult (*)(CUlinkState, void **, size_t *))bound[i_cuLinkComplete];
	return f ? f(state, cubin, size) : missing();
}

HIDDEN CUresult cuLinkDestroy(CUlinkState state)
{
	CUresult (*f)(CUlinkState) = (CUresult (*)(CUlinkState))bound[i_cuLinkDestroy];
	return f ? f(state) : missing();
}

HIDDEN CUresult cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction func)
{
	CUresult (*f)(int *, CUfunction_attribute, CUfunction) = (CUresult (*)(int *, CUfunction_attribute, CUfunction))bound[i_cuFuncGetAttribute];
	return f ? f(pi, attrib, func) : missing();
}

HIDDEN CUresult cuFuncSetAttribute(CUfunction func, CUfunction_attribute attrib, int value)
{
	CUresult (*f)(CUfunction, CUfunction_attribute, int) = (CUresult (*)(CUfunction, CUfunction_attribute, int))bound[i_cuFuncSetAttribute];
	return f ? f(func, attrib, value) : missing();
}

HIDDEN CUresult cuFuncSetCacheConfig(CUfunction func, CUfunc_cache config)
{
	CUresult (*f)(CUfunction, CUfunc_cache) = (CUresult (*)(CUfunction, CUfunc_cache))bound[i_cuFuncSetCacheConfig];
	return f ? f(func, config) : missing();
}

HIDDEN CUresult cuFuncSetSharedMemConfig(CUfunction func, CUsharedconfig config)
{
	CUresult (*f)(CUfunction, CUsharedconfig) = (CUresult (*)(CUfunction, CUsharedconfig))bound[i_cuFuncSetSharedMemConfig];
	return f ? f(func, config) : missing();
}

HIDDEN CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction func, int blockSize, size_t shared)
{
	CUresult (*f)(int *, CUfunction, int, size_t) = (CUresult (*)(int *, CUfunction, int, size_t))bound[i_cuOccupancyMaxActiveBlocksPerMultiprocessor];
	return f ? f(blocks, func, blockSize, shared) : missing();
}

HIDDEN CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction func, int blockSize, size_t shared, unsigned int flags)
{
	CUresult (*f)(int *, CUfunction, int, size_t, unsigned int) = (CUresult (*)(int *, CUfunction, int, size_t, unsigned int))bound[i_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags];
	return f ? f(blocks, func, blockSize, shared, flags) : missing();
}

HIDDEN CUresult cuLaunchKernel(CUfunction func, unsigned int gridX, unsigned int gridY, unsigned int gridZ, unsigned int blockX, unsigned int blockY, unsigned int blockZ, unsigned int shared, CUstream stream, void **params, void **extra)
{
	CUresult (*f)(CUfunction, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, CUstream, void **, void **) = (CUresult (*)(CUfunction, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, CUstream, void **, void **))bound[i_cuLaunchKernel];
	return f ? f(func, gridX, gridY, gridZ, blockX, blockY, blockZ, shared, stream, params, extra) : missing();
}

HIDDEN CUresult cuMemGetInfo_v2(size_t *available, size_t *total)
{
	CUresult (*f)(size_t *, size_t *) = (CUresult (*)(size_t *, size_t *))bound[i_cuMemGetInfo_v2];
	return f ? f(available, total) : missing();
}

HIDDEN CUresult cuMemAlloc_v2(CUdeviceptr *ptr, size_t bytes)
{
	CUresult (*f)(CUdeviceptr *, size_t) = (CUresult (*)(CUdeviceptr *, size_t))bound[i_cuMemAlloc_v2];
	return f ? f(ptr, bytes) : missing();
}

HIDDEN CUresult cuMemAllocPitch_v2(CUdeviceptr *ptr, size_t *pitch, size_t width, size_t height, unsigned int elementBytes)
{
	CUresult (*f)(CUdeviceptr *, size_t *, size_t, size_t, unsigned int) = (CUresult (*)(CUdeviceptr *, size_t *, size_t, size_t, unsigned int))bound[i_cuMemAllocPitch_v2];
	return f ? f(ptr, pitch, width, height, elementBytes) : missing();
}

HIDDEN CUresult cuMemAllocManaged(CUdeviceptr *ptr, size_t bytes, unsigned int flags)
{
	CUresult (*f)(CUdeviceptr *, size_t, unsigned int) = (CUresult (*)(CUdeviceptr *, size_t, unsigned int))bound[i_cuMemAllocManaged];
	return f ? f(ptr, bytes, flags) : missing();
}

HIDDEN CUresult cuMemFree_v2(CUdeviceptr ptr)
{
	CUresult (*f)(CUdeviceptr) = (CUresult (*)(CUdeviceptr))bound[i_cuMemFree_v2];
	return f ? f(ptr) : missing();
}

HIDDEN CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size, CUdeviceptr ptr)
{
	CUresult (*f)(CUdeviceptr *, size_t *, CUdeviceptr) = (CUresult (*)(CUdeviceptr *, size_t *, CUdeviceptr))bound[i_cuMemGetAddressRange_v2];
	return f ? f(base, size, ptr) : missing();
}

HIDDEN CUresult cuMemHostAlloc(void **ptr, size_t bytes, unsigned int flags)
{
	CUresult (*f)(void **, size_t, unsigned int) = (CUresult (*)(void **, size_t, unsigned int))bound[i_cuMemHostAlloc];
	return f ? f(ptr, bytes, flags) : missing();
}

HIDDEN CUresult cuMemFreeHost(void *ptr)
{
	CUresult (*f)(void *) = (CUresult (*)(void *))bound[i_cuMemFreeHost];
	return f ? f(ptr) : missing();
}

HIDDEN CUresult cuMemHostRegister_v2(void *ptr, size_t bytes, unsigned int flags)
{
	CUresult (*f)(void *, size_t, unsigned int) = (CUresult (*)(void *, size_t, unsigned int))bound[i_cuMemHostRegister_v2];
	return f ? f(ptr, bytes, flags) : missing();
}

HIDDEN CUresult cuMemHostUnregister(void *ptr)
{
	CUresult (*f)(void *) = (CUresult (*)(void *))bound[i_cuMemHostUnregister];
	return f ? f(ptr) : missing();
}

HIDDEN CUresult cuMemAdvise(CUdeviceptr ptr, size_t count, CUmem_advise advice, CUdevice device)
{
	CUresult (*f)(CUdeviceptr, size_t, CUmem_advise, CUdevice) = (CUresult (*)(CUdeviceptr, size_t, CUmem_advise, CUdevice))bound[i_cuMemAdvise];
	return f ? f(ptr, count, advice, device) : missing();
}

HIDDEN CUresult cuMemPrefetchAsync(CUdeviceptr ptr, size_t count, CUdevice device, CUstream stream)
{
	CUresult (*f)(CUdeviceptr, size_t, CUdevice, CUstream) = (CUresult (*)(CUdeviceptr, size_t, CUdevice, CUstream))bound[i_cuMemPrefetchAsync];
	return f ? f(ptr, count, device, stream) : missing();
}

HIDDEN CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr)
{
	CUresult (*f)(void *, CUpointer_attribute, CUdeviceptr) = (CUresult (*)(void *, CUpointer_attribute, CUdeviceptr))bound[i_cuPointerGetAttribute];
	return f ? f(data, attribute, ptr) : missing();
}

HIDDEN CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr ptr)
{
	CUresult (*f)(const void *, CUpointer_attribute, CUdeviceptr) = (CUresult (*)(const void *, CUpointer_attribute, CUdeviceptr))bound[i_cuPointerSetAttribute];
	return f ? f(value, attribute, ptr) : missing();
}

HIDDEN CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
	CUresult (*f)(CUdeviceptr, CUdeviceptr, size_t) = (CUresult (*)(CUdeviceptr, CUdeviceptr, size_t))bound[i_cuMemcpy];
	return f ? f(dst, src, bytes) : missing();
}

HIDDEN CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
	CUresult (*f)(CUdeviceptr, CUdeviceptr, size_t, CUstream) = (CUresult (*)(CUdeviceptr, CUdeviceptr, size_t, CUstream))bound[i_cuMemcpyAsync];
	return f ? f(dst, src, bytes, stream) : missing();
}

HIDDEN CUresult cuMemcpyPeer(CUdeviceptr dst, CUcontext dstContext, CUdeviceptr src, CUcontext srcContext, size_t bytes)
{
	CUresult (*f)(CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t) = (CUresult (*)(CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t))bound[i_cuMemcpyPeer];
	return f ? f(dst, dstContext, src, srcContext, bytes) : missing();
}

HIDDEN CUresult cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext dstContext, CUdeviceptr src, CUcontext srcContext, size_t bytes, CUstream stream)
{
	CUresult (*f)(CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t, CUstream) = (CUresult (*)(CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t, CUstream))bound[i_cuMemcpyPeerAsync];
	return f ? f(dst, dstContext, src, srcContext, bytes, stream) : missing();
}

HIDDEN CUresult cuMemcpyHtoD_v2(CUdeviceptr dst, const void *src, size_t bytes)
{
	CUresult (*f)(CUdeviceptr, const void *, size_t) = (CUresult (*)(CUdeviceptr, const void *, size_t))bound[i_cuMemcpyHtoD_v2];
	return f ? f(dst, src, bytes) : missing();
}

HIDDEN CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dst, const void *src, size_t bytes, CUstream stream)
{
	CUresult (*f)(CUdeviceptr, const void *, size_t, CUstream) = (CUresult (*)(CUdeviceptr, const void *, size_t, CUstream))bound[i_cuMemcpyHtoDAsync_v2];
	return f ? f(dst, src, bytes, stream) : missing();
}

HIDDEN CUresult cuMemcpyDtoH_v2(void *dst, CUdeviceptr src, size_t bytes)
{
	CUresult (*f)(void *, CUdeviceptr, size_t) = (CUresult (*)(void *, CUdeviceptr, size_t))bound[i_cuMemcpyDtoH_v2];
	return f ? f(dst, src, bytes) : missing();
}

HIDDEN CUresult cuMemcpyDtoHAsync_v2(void *dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
	CUresult (*f)(void *, CUdeviceptr, size_t, CUstream) = (CUresult (*)(void *, CUdeviceptr, size_t, CUstream))bound[i_cuMemcpyDtoHAsync_v2];
	return f ? f(dst, src, bytes, stream) : missing();
}

HIDDEN CUresult cuMemcpyDtoD_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
	CUresult (*f)(CUdeviceptr, CUdeviceptr, size_t) = (CUresult (*)(CUdeviceptr, CUdeviceptr, size_t))bound[i_cuMemcpyDtoD_v2];
	return f ? f(dst, src, bytes) : missing();
}

HIDDEN CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
	CUresult (*f)(CUdeviceptr, CUdeviceptr, size_t, CUstream) = (CUresult (*)(CUdeviceptr, CUdeviceptr, size_t, CUstream))bound[i_cuMemcpyDtoDAsync_v2];
	return f ? f(dst, src, bytes, stream) : missing();
}

HIDDEN CUresult cuMemcpyDtoA_v2(CUarray dst, size_t offset, CUdeviceptr src, size_t bytes)
{
	CUresult (*f)(CUarray, size_t, CUdeviceptr, size_t) = (CUresult (*)(CUarray, size_t, CUdeviceptr, size_t))bound[i_cuMemcpyDtoA_v2];
	return f ? f(dst, offset, src, bytes) : missing();
}

HIDDEN CUresult cuMemcpyAtoD_v2(CUdeviceptr dst, CUarray src, size_t offset, size_t bytes)
{
	CUresult (*f)(CUdeviceptr, CUarray, size_t, size_t) = (CUresult (*)(CUdeviceptr, CUarray, size_t, size_t))bound[i_cuMemcpyAtoD_v2];
	return f ? f(dst, src, offset, bytes) : missing();
}

HIDDEN CUresult cuMemcpyHtoA_v2(CUarray dst, size_t offset, const void *src, size_t bytes)
{
	CUresult (*f)(CUarray, size_t, const void *, size_t) = (CUresult (*)(CUarray, size_t, const void *, size_t))bound[i_cuMemcpyHtoA_v2];
	return f ? f(dst, offset, src, bytes) : missing();
}

HIDDEN CUresult cuMemcpyHtoAAsync_v2(CUarray dst, size_t offset, const void *src, size_t bytes, CUstream stream)
{
	CUresult (*f)(CUarray, size_t, const void *, size_t, CUstream) = (CUresult (*)(CUarray, size_t, const void *, size_t, CUstream))bound[i_cuMemcpyHtoAAsync_v2];
	return f ? f(dst, offset, src, bytes, stream) : missing();
}

HIDDEN CUresult cuMemcpyAtoH_v2(void *dst, CUarray src, size_t offset, size_t bytes)
{
	CUresult (*f)(void *, CUarray, size_t, size_t) = (CUresult (*)(void *, CUarray, size_t, size_t))bound[i_cuMemcpyAtoH_v2];
	return f ? f(dst, src, offset, bytes) : missing();
}

HIDDEN CUresult cuMemcpyAtoHAsync_v2(void *dst, CUarray src, size_t offset, size_t bytes, CUstream stream)
{
	CUresult (*f)(void *, CUarray, size_t, size_t, CUstream) = (CUresult (*)(void *, CUarray, size_t, size_t, CUstream))bound[i_cuMemcpyAtoHAsync_v2];
	return f ? f(dst, src, offset, bytes, stream) : missing();
}

HIDDEN CUresult cuMemcpyAtoA_v2(CUarray dst, size_t dstOffset, CUarray src, size_t srcOffset, size_t bytes)
{
	CUresult (*f)(CUarray, size_t, CUarray, size_t, size_t) = (CUresult (*)(CUarray, size_t, CUarray, size_t, size_t))bound[i_cuMemcpyAtoA_v2];
	return f ? f(dst, dstOffset, src, srcOffset, bytes) : missing();
}

HIDDEN CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy)
{
	CUresult (*f)(const CUDA_MEMCPY2D *) = (CUresult (*)(const CUDA_MEMCPY2D *))bound[i_cuMemcpy2D_v2];
	return f ? f(copy) : missing();
}

HIDDEN CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *copy)
{
	CUresult (*f)(const CUDA_MEMCPY2D *) = (CUresult (*)(const CUDA_MEMCPY2D *))bound[i_cuMemcpy2DUnaligned_v2];
	return f ? f(copy) : missing();
}

HIDDEN CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream)
{
	CUresult (*f)(const CUDA_MEMCPY2D *, CUstream) = (CUresult (*)(const CUDA_MEMCPY2D *, CUstream))bound[i_cuMemcpy2DAsync_v2];
	return f ? f(copy, stream) : missing();
}

HIDDEN CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *copy)
{
	CUresult (*f)(const CUDA_MEMCPY3D *) = (CUresult (*)(const CUDA_MEMCPY3D *))bound[i_cuMemcpy3D_v2];
	return f ? f(copy) : missing();
}

HIDDEN CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, CUstream stream)
{
	CUresult (*f)(const CUDA_MEMCPY3D *, CUstream) = (CUresult (*)(const CUDA_MEMCPY3D *, CUstream))bound[i_cuMemcpy3DAsync_v2];
	return f ? f(copy, stream) : missing();
}

HIDDEN CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *copy)
{
	CUresult (*f)(const CUDA_MEMCPY3D_PEER *) = (CUresult (*)(const CUDA_MEMCPY3D_PEER *))bound[i_cuMemcpy3DPeer];
	return f ? f(copy) : missing();
}

HIDDEN CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *copy, CUstream stream)
{
	CUresult (*f)(const CUDA_MEMCPY3D_PEER *, CUstream) = (CUresult (*)(const CUDA_MEMCPY3D_PEER *, CUstream))bound[i_cuMemcpy3DPeerAsync];
	return f ? f(copy, stream) : missing();
}

HIDDEN CUresult cuMemsetD8_v2(CUdeviceptr dst, unsigned char value, size_t n)
{
	CUresult (*f)(CUdeviceptr, unsigned char, size_t) = (CUresult (*)(CUdeviceptr, unsigned char, size_t))bound[i_cuMemsetD8_v2];
	return f ? f(dst, value, n) : missing();
}

HIDDEN CUresult cuMemsetD16_v2(CUdeviceptr dst, unsigned short value, size_t n)
{
	CUresult (*f)(CUdeviceptr, unsigned short, size_t) = (CUresult (*)(CUdeviceptr, unsigned short, size_t))bound[i_cuMemsetD16_v2];
	return f ? f(dst, value, n) : missing();
}

HIDDEN CUresult cuMemsetD32_v2(CUdeviceptr dst, unsigned int value, size_t n)
{
	CUresult (*f)(CUdeviceptr, unsigned int, size_t) = (CUresult (*)(CUdeviceptr, unsigned int, size_t))bound[i_cuMemsetD32_v2];
	return f ? f(dst, value, n) : missing();
}

HIDDEN CUresult cuMemsetD8Async(CUdeviceptr dst, unsigned char value, size_t n, CUstream stream)
{
	CUresult (*f)(CUdeviceptr, unsigned char, size_t, CUstream) = (CUresult (*)(CUdeviceptr, unsigned char, size_t, CUstream))bound[i_cuMemsetD8Async];
	return f ? f(dst, value, n, stream) : missing();
}

HIDDEN CUresult cuMemsetD16Async(CUdeviceptr dst, unsigned short value, size_t n, CUstream stream)
{
	CUresult (*f)(CUdeviceptr, unsigned short, size_t, CUstream) = (CUresult (*)(CUdeviceptr, unsigned short, size_t, CUstream))bound[i_cuMemsetD16Async];
	return f ? f(dst, value, n, stream) : missing();
}

HIDDEN CUresult cuMemsetD32Async(CUdeviceptr dst, unsigned int value, size_t n, CUstream stream)
{
	CUresult (*f)(CUdeviceptr, unsigned int, size_t, CUstream) = (CUresult (*)(CUdeviceptr, unsigned int, size_t, CUstream))bound[i_cuMemsetD32Async];
	return f ? f(dst, value, n, stream) : missing();
}

HIDDEN CUresult cuMemsetD2D8_v2(CUdeviceptr dst, size_t pitch, unsigned char value, size_t width, size_t height)
{
	CUresult (*f)(CUdeviceptr, size_t, unsigned char, size_t, size_t) = (CUresult (*)(CUdeviceptr, size_t, unsigned char, size_t, size_t))bound[i_cuMemsetD2D8_v2];
	return f ? f(dst, pitch, value, width, height) : missing();
}

HIDDEN CUresult cuMemsetD2D16_v2(CUdeviceptr dst, size_t pitch, unsigned short value, size_t width, size_t height)
{
	CUresult (*f)(CUdeviceptr, size_t, unsigned short, size_t, size_t) = (CUresult (*)(CUdeviceptr, size_t, unsigned short, size_t, size_t))bound[i_cuMemsetD2D16_v2];
	return f ? f(dst, pitch, value, width, height) : missing();
}

HIDDEN CUresult cuMemsetD2D32_v2(CUdeviceptr dst, size_t pitch, unsigned int value, size_t width, size_t height)
{
	CUresult (*f)(CUdeviceptr, size_t, unsigned int, size_t, size_t) = (CUresult (*)(CUdeviceptr, size_t, unsigned int, size_t, size_t))bound[i_cuMemsetD2D32_v2];
	return f ? f(dst, pitch, value, width, height) : missing();
}

HIDDEN CUresult cuMemsetD2D8Async(CUdeviceptr dst, size_t pitch, unsigned char value, size_t width, size_t height, CUstream stream)
{
	CUresult (*f)(CUdeviceptr, size_t, unsigned char, size_t, size_t, CUstream) = (CUresult (*)(CUdeviceptr, size_t, unsigned char, size_t, size_t, CUstream))bound[i_cuMemsetD2D8Async];
	return f ? f(dst, pitch, value, width, height, stream) : missing();
}

HIDDEN CUresult cuMemsetD2D16Async(CUdeviceptr dst, size_t pitch, unsigned short value, size_t width, size_t height, CUstream stream)
{
	CUresult (*f)(CUdeviceptr, size_t, unsigned short, size_t, size_t, CUstream) = (CUresult (*)(CUdeviceptr, size_t, unsigned short, size_t, size_t, CUstream))bound[i_cuMemsetD2D16Async];
	return f ? f(dst, pitch, value, width, height, stream) : missing();
}

HIDDEN CUresult cuMemsetD2D32Async(CUdeviceptr dst, size_t pitch, unsigned int value, size_t width, size_t height, CUstream stream)
{
	CUresult (*f)(CUdeviceptr, size_t, unsigned int, size_t, size_t, CUstream) = (CUresult (*)(CUdeviceptr, size_t, unsigned int, size_t, size_t, CUstream))bound[i_cuMemsetD2D32Async];
	return f ? f(dst, pitch, value, width, height, stream) : missing();
}

HIDDEN CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode)
{
	CUresult (*f)(CUstream, CUstreamCaptureMode) = (CUresult (*)(CUstream, CUstreamCaptureMode))bound[i_cuStreamBeginCapture_v2];
	return f ? f(stream, mode) : missing();
}

HIDDEN CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
	CUresult (*f)(CUstream, CUgraph *) = (CUresult (*)(CUstream, CUgraph *))bound[i_cuStreamEndCapture];
	return f ? f(stream, graph) : missing();
}

HIDDEN CUresult cuStreamCreate(CUstream *stream, unsigned int flags)
{
	CUresult (*f)(CUstream *, unsigned int) = (CUresult (*)(CUstream *, unsigned int))bound[i_cuStreamCreate];
	return f ? f(stream, flags) : missing();
}

HIDDEN CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority)
{
	CUresult (*f)(CUstream *, unsigned int, int) = (CUresult (*)(CUstream *, unsigned int, int))bound[i_cuStreamCreateWithPriority];
	return f ? f(stream, flags, priority) : missing();
}

HIDDEN CUresult cuStreamDestroy_v2(CUstream stream)
{
	CUresult (*f)(CUstream) = (CUresult (*)(CUstream))bound[i_cuStreamDestroy_v2];
	return f ? f(stream) : missing();
}

HIDDEN CUresult cuStreamGetPriority(CUstream stream, int *priority)
{
	CUresult (*f)(CUstream, int *) = (CUresult (*)(CUstream, int *))bound[i_cuStreamGetPriority];
	return f ? f(stream, priority) : missing();
}

HIDDEN CUresult cuStreamGetFlags(CUstream stream, unsigned int *flags)
{
	CUresult (*f)(CUstream, unsigned int *) = (CUresult (*)(CUstream, unsigned int *))bound[i_cuStreamGetFlags];
	return f ? f(stream, flags) : missing();
}

HIDDEN CUresult cuStreamQuery(CUstream stream)
{
	CUresult (*f)(CUstream) = (CUresult (*)(CUstream))bound[i_cuStreamQuery];
	return f ? f(stream) : missing();
}

HIDDEN CUresult cuStreamSynchronize(CUstream stream)
{
	CUresult (*f)(CUstream) = (CUresult (*)(CUstream))bound[i_cuStreamSynchronize];
	return f ? f(stream) : missing();
}

HIDDEN CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags)
{
	CUresult (*f)(CUstream, CUevent, unsigned int) = (CUresult (*)(CUstream, CUevent, unsigned int))bound[i_cuStreamWaitEvent];
	return f ? f(stream, event, flags) : missing();
}

HIDDEN CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags)
{
	CUresult (*f)(CUstream, CUdeviceptr, cuuint32_t, unsigned int) = (CUresult (*)(CUstream, CUdeviceptr, cuuint32_t, unsigned int))bound[i_cuStreamWaitValue32];
	return f ? f(stream, addr, value, flags) : missing();
}

HIDDEN CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags)
{
	CUresult (*f)(CUstream, CUdeviceptr, cuuint32_t, unsigned int) = (CUresult (*)(CUstream, CUdeviceptr, cuuint32_t, unsigned int))bound[i_cuStreamWriteValue32];
	return f ? f(stream, addr, value, flags) : missing();
}

HIDDEN CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr ptr, size_t length, unsigned int flags)
{
	CUresult (*f)(CUstream, CUdeviceptr, size_t, unsigned int) = (CUresult (*)(CUstream, CUdeviceptr, size_t, unsigned int))bound[i_cuStreamAttachMemAsync];
	return f ? f(stream, ptr, length, flags) : missing();
}

HIDDEN CUresult cuEventCreate(CUevent *event, unsigned int flags)
{
	CUresult (*f)(CUevent *, unsigned int) = (CUresult (*)(CUevent *, unsigned int))bound[i_cuEventCreate];
	return f ? f(event, flags) : missing();
}

HIDDEN CUresult cuEventDestroy_v2(CUevent event)
{
	CUresult (*f)(CUevent) = (CUresult (*)(CUevent))bound[i_cuEventDestroy_v2];
	return f ? f(event) : missing();
}

HIDDEN CUresult cuEventRecord(CUevent event, CUstream stream)
{
	CUresult (*f)(CUevent, CUstream) = (CUresult (*)(CUevent, CUstream))bound[i_cuEventRecord];
	return f ? f(event, stream) : missing();
}

HIDDEN CUresult cuEventQuery(CUevent event)
{
	CUresult (*f)(CUevent) = (CUresult (*)(CUevent))bound[i_cuEventQuery];
	return f ? f(event) : missing();
}

HIDDEN CUresult cuEventSynchronize(CUevent event)
{
	CUresult (*f)(CUevent) = (CUresult (*)(CUevent))bound[i_cuEventSynchronize];
	return f ? f(event) : missing();
}

HIDDEN CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end)
{
	CUresult (*f)(float *, CUevent, CUevent) = (CUresult (*)(float *, CUevent, CUevent))bound[i_cuEventElapsedTime];
	return f ? f(ms, start, end) : missing();
}

HIDDEN CUresult cuGraphCreate(CUgraph *graph, unsigned int flags)
{
	CUresult (*f)(CUgraph *, unsigned int) = (CUresult (*)(CUgraph *, unsigned int))bound[i_cuGraphCreate];
	return f ? f(graph, flags) : missing();
}

HIDDEN CUresult cuGraphDestroy(CUgraph graph)
{
	CUresult (*f)(CUgraph) = (CUresult (*)(CUgraph))bound[i_cuGraphDestroy];
	return f ? f(graph) : missing();
}

HIDDEN CUresult cuGraphClone(CUgraph *clone, CUgraph original)
{
	CUresult (*f)(CUgraph *, CUgraph) = (CUresult (*)(CUgraph *, CUgraph))bound[i_cuGraphClone];
	return f ? f(clone, original) : missing();
}

HIDDEN CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t n, const CUDA_KERNEL_NODE_PARAMS *params)
{
	CUresult (*f)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_KERNEL_NODE_PARAMS *) = (CUresult (*)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_KERNEL_NODE_PARAMS *))bound[i_cuGraphAddKernelNode];
	return f ? f(node, graph, dependencies, n, params) : missing();
}

HIDDEN CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t n, const CUDA_MEMCPY3D *params, CUcontext ctx)
{
	CUresult (*f)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_MEMCPY3D *, CUcontext) = (CUresult (*)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_MEMCPY3D *, CUcontext))bound[i_cuGraphAddMemcpyNode];
	return f ? f(node, graph, dependencies, n, params, ctx) : missing();
}

HIDDEN CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t n, const CUDA_MEMSET_NODE_PARAMS *params, CUcontext ctx)
{
	CUresult (*f)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_MEMSET_NODE_PARAMS *, CUcontext) = (CUresult (*)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_MEMSET_NODE_PARAMS *, CUcontext))bound[i_cuGraphAddMemsetNode];
	return f ? f(node, graph, dependencies, n, params, ctx) : missing();
}

HIDDEN CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t n, const CUDA_HOST_NODE_PARAMS *params)
{
	CUresult (*f)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_HOST_NODE_PARAMS *) = (CUresult (*)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_HOST_NODE_PARAMS *))bound[i_cuGraphAddHostNode];
	return f ? f(node, graph, dependencies, n, params) : missing();
}

HIDDEN CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t n, CUgraph child)
{
	CUresult (*f)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, CUgraph) = (CUresult (*)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, CUgraph))bound[i_cuGraphAddChildGraphNode];
	return f ? f(node, graph, dependencies, n, child) : missing();
}

HIDDEN CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t n)
{
	CUresult (*f)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t) = (CUresult (*)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t))bound[i_cuGraphAddEmptyNode];
	return f ? f(node, graph, dependencies, n) : missing();
}

HIDDEN CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t n)
{
	CUresult (*f)(CUgraph, const CUgraphNode *, const CUgraphNode *, size_t) = (CUresult (*)(CUgraph, const CUgraphNode *, const CUgraphNode *, size_t))bound[i_cuGraphAddDependencies];
	return f ? f(graph, from, to, n) : missing();
}

HIDDEN CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *n)
{
	CUresult (*f)(CUgraph, CUgraphNode *, CUgraphNode *, size_t *) = (CUresult (*)(CUgraph, CUgraphNode *, CUgraphNode *, size_t *))bound[i_cuGraphGetEdges];
	return f ? f(graph, from, to, n) : missing();
}

HIDDEN CUresult cuGraphDestroyNode(CUgraphNode node)
{
	CUresult (*f)(CUgraphNode) = (CUresult (*)(CUgraphNode))bound[i_cuGraphDestroyNode];
	return f ? f(node) : missing();
}

HIDDEN CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
	CUresult (*f)(CUgraphExec *, CUgraph, unsigned long long) = (CUresult (*)(CUgraphExec *, CUgraph, unsigned long long))bound[i_cuGraphInstantiateWithFlags];
	return f ? f(exec, graph, flags) : missing();
}

HIDDEN CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
	CUresult (*f)(CUgraphExec, CUstream) = (CUresult (*)(CUgraphExec, CUstream))bound[i_cuGraphLaunch];
	return f ? f(exec, stream) : missing();
}

HIDDEN CUresult cuGraphExecDestroy(CUgraphExec exec)
{
	CUresult (*f)(CUgraphExec) = (CUresult (*)(CUgraphExec))bound[i_cuGraphExecDestroy];
	return f ? f(exec) : missing();
}

HIDDEN CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *desc)
{
	CUresult (*f)(CUarray *, const CUDA_ARRAY_DESCRIPTOR *) = (CUresult (*)(CUarray *, const CUDA_ARRAY_DESCRIPTOR *))bound[i_cuArrayCreate_v2];
	return f ? f(array, desc) : missing();
}

HIDDEN CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *desc, CUarray array)
{
	CUresult (*f)(CUDA_ARRAY_DESCRIPTOR *, CUarray) = (CUresult (*)(CUDA_ARRAY_DESCRIPTOR *, CUarray))bound[i_cuArrayGetDescriptor_v2];
	return f ? f(desc, array) : missing();
}

HIDDEN CUresult cuArrayDestroy(CUarray array)
{
	CUresult (*f)(CUarray) = (CUresult (*)(CUarray))bound[i_cuArrayDestroy];
	return f ? f(array) : missing();
}

HIDDEN CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *desc)
{
	CUresult (*f)(CUarray *, const CUDA_ARRAY3D_DESCRIPTOR *) = (CUresult (*)(CUarray *, const CUDA_ARRAY3D_DESCRIPTOR *))bound[i_cuArray3DCreate_v2];
	return f ? f(array, desc) : missing();
}

HIDDEN CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *desc, CUarray array)
{
	CUresult (*f)(CUDA_ARRAY3D_DESCRIPTOR *, CUarray) = (CUresult (*)(CUDA_ARRAY3D_DESCRIPTOR *, CUarray))bound[i_cuArray3DGetDescriptor_v2];
	return f ? f(desc, array) : missing();
}

HIDDEN CUresult cuSurfRefSetArray(CUsurfref ref, CUarray array, unsigned int flags)
{
	CUresult (*f)(CUsurfref, CUarray, unsigned int) = (CUresult (*)(CUsurfref, CUarray, unsigned int))bound[i_cuSurfRefSetArray];
	return f ? f(ref, array, flags) : missing();
}

HIDDEN CUresult cuSurfRefGetArray(CUarray *array, CUsurfref ref)
{
	CUresult (*f)(CUarray *, CUsurfref) = (CUresult (*)(CUarray *, CUsurfref))bound[i_cuSurfRefGetArray];
	return f ? f(array, ref) : missing();
}

HIDDEN CUresult cuTexRefSetArray(CUtexref ref, CUarray array, unsigned int flags)
{
	CUresult (*f)(CUtexref, CUarray, unsigned int) = (CUresult (*)(CUtexref, CUarray, unsigned int))bound[i_cuTexRefSetArray];
	return f ? f(ref, array, flags) : missing();
}

HIDDEN CUresult cuTexRefSetAddress_v2(size_t *offset, CUtexref ref, CUdeviceptr ptr, size_t bytes)
{
	CUresult (*f)(size_t *, CUtexref, CUdeviceptr, size_t) = (CUresult (*)(size_t *, CUtexref, CUdeviceptr, size_t))bound[i_cuTexRefSetAddress_v2];
	return f ? f(offset, ref, ptr, bytes) : missing();
}

HIDDEN CUresult cuTexRefSetAddress2D_v3(CUtexref ref, const CUDA_ARRAY_DESCRIPTOR *desc, CUdeviceptr ptr, size_t pitch)
{
	CUresult (*f)(CUtexref, const CUDA_ARRAY_DESCRIPTOR *, CUdeviceptr, size_t) = (CUresult (*)(CUtexref, const CUDA_ARRAY_DESCRIPTOR *, CUdeviceptr, size_t))bound[i_cuTexRefSetAddress2D_v3];
	return f ? f(ref, desc, ptr, pitch) : missing();
}

HIDDEN CUresult cuTexRefSetFormat(CUtexref ref, CUarray_format format, int components)
{
	CUresult (*f)(CUtexref, CUarray_format, int) = (CUresult (*)(CUtexref, CUarray_format, int))bound[i_cuTexRefSetFormat];
	return f ? f(ref, format, components) : missing();
}

HIDDEN CUresult cuTexRefSetAddressMode(CUtexref ref, int dim, CUaddress_mode mode)
{
	CUresult (*f)(CUtexref, int, CUaddress_mode) = (CUresult (*)(CUtexref, int, CUaddress_mode))bound[i_cuTexRefSetAddressMode];
	return f ? f(ref, dim, mode) : missing();
}

HIDDEN CUresult cuTexRefSetFilterMode(CUtexref ref, CUfilter_mode mode)
{
	CUresult (*f)(CUtexref, CUfilter_mode) = (CUresult (*)(CUtexref, CUfilter_mode))bound[i_cuTexRefSetFilterMode];
	return f ? f(ref, mode) : missing();
}

HIDDEN CUresult cuTexRefSetMipmapFilterMode(CUtexref ref, CUfilter_mode mode)
{
	CUresult (*f)(CUtexref, CUfilter_mode) = (CUresult (*)(CUtexref, CUfilter_mode))bound[i_cuTexRefSetMipmapFilterMode];
	return f ? f(ref, mode) : missing();
}

HIDDEN CUresult cuTexRefSetMipmapLevelBias(CUtexref ref, float bias)
{
	CUresult (*f)(CUtexref, float) = (CUresult (*)(CUtexref, float))bound[i_cuTexRefSetMipmapLevelBias];
	return f ? f(ref, bias) : missing();
}

HIDDEN CUresult cuTexRefSetMipmapLevelClamp(CUtexref ref, float least, float greatest)
{
	CUresult (*f)(CUtexref, float, float) = (CUresult (*)(CUtexref, float, float))bound[i_cuTexRefSetMipmapLevelClamp];
	return f ? f(ref, least, greatest) : missing();
}

HIDDEN CUresult cuTexRefSetMaxAnisotropy(CUtexref ref, unsigned int aniso)
{
	CUresult (*f)(CUtexref, unsigned int) = (CUresult (*)(CUtexref, unsigned int))bound[i_cuTexRefSetMaxAnisotropy];
	return f ? f(ref, aniso) : missing();
}

HIDDEN CUresult cuTexRefSetBorderColor(CUtexref ref, float *color)
{
	CUresult (*f)(CUtexref, float *) = (CUresult (*)(CUtexref, float *))bound[i_cuTexRefSetBorderColor];
	return f ? f(ref, color) : missing();
}

HIDDEN CUresult cuTexRefSetFlags(CUtexref ref, unsigned int flags)
{
	CUresult (*f)(CUtexref, unsigned int) = (CUresult (*)(CUtexref, unsigned int))bound[i_cuTexRefSetFlags];
	return f ? f(ref, flags) : missing();
}

HIDDEN CUresult cuTexRefGetAddress_v2(CUdeviceptr *ptr, CUtexref ref)
{
	CUresult (*f)(CUdeviceptr *, CUtexref) = (CUresult (*)(CUdeviceptr *, CUtexref))bound[i_cuTexRefGetAddress_v2];
	return f ? f(ptr, ref) : missing();
}

HIDDEN CUresult cuTexRefGetArray(CUarray *array, CUtexref ref)
{
	CUresult (*f)(CUarray *, CUtexref) = (CUresult (*)(CUarray *, CUtexref))bound[i_cuTexRefGetArray];
	return f ? f(array, ref) : missing();
}

HIDDEN CUresult cuTexRefGetAddressMode(CUaddress_mode *mode, CUtexref ref, int dim)
{
	CUresult (*f)(CUaddress_mode *, CUtexref, int) = (CUresult (*)(CUaddress_mode *, CUtexref, int))bound[i_cuTexRefGetAddressMode];
	return f ? f(mode, ref, dim) : missing();
}

HIDDEN CUresult cuTexRefGetFilterMode(CUfilter_mode *mode, CUtexref ref)
{
	CUresult (*f)(CUfilter_mode *, CUtexref) = (CUresult (*)(CUfilter_mode *, CUtexref))bound[i_cuTexRefGetFilterMode];
	return f ? f(mode, ref) : missing();
}

HIDDEN CUresult cuTexRefGetFormat(CUarray_format *format, int *components, CUtexref ref)
{
	CUresult (*f)(CUarray_format *, int *, CUtexref) = (CUresult (*)(CUarray_format *, int *, CUtexref))bound[i_cuTexRefGetFormat];
	return f ? f(format, components, ref) : missing();
}

HIDDEN CUresult cuTexRefGetMaxAnisotropy(int *aniso, CUtexref ref)
{
	CUresult (*f)(int *, CUtexref) = (CUresult (*)(int *, CUtexref))bound[i_cuTexRefGetMaxAnisotropy];
	return f ? f(aniso, ref) : missing();
}

HIDDEN CUresult cuTexRefGetBorderColor(float *color, CUtexref ref)
{
	CUresult (*f)(float *, CUtexref) = (CUresult (*)(float *, CUtexref))bound[i_cuTexRefGetBorderColor];
	return f ? f(color, ref) : missing();
}

HIDDEN CUresult cuTexRefGetFlags(unsigned int *flags, CUtexref ref)
{
	CUresult (*f)(unsigned int *, CUtexref) = (CUresult (*)(unsigned int *, CUtexref))bound[i_cuTexRefGetFlags];
	return f ? f(flags, ref) : missing();
}
