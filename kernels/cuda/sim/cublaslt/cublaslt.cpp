// A simulated libcublasLt for the simulated driver: the functions of cublaslt.h,
// over the products of product.h, as operations on the driver's streams. What it
// computes may be trusted; how long it takes means nothing, except that
//
//   GRADCUE_SIM_CUBLASLT=fast=2,lacks=1,version=120100,pause=20000
//
// makes all algorithms but one slow by pause microseconds (fast=own: all of
// them), takes one away, and changes the version.
#pragma GCC visibility push(default)
#include "cublaslt.h"
#pragma GCC visibility pop
#include "product.h"
#include "../queue.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <thread>
#include <vector>

using namespace simlt;

namespace {

typedef decltype(&cuSimQueue) Queue;

// Settings are read anew each time, so that a test can change them.
struct Settings {
	int fast = -1, lacks = -1;
	unsigned pause_us = 20000;
	size_t version = 120803;
};

Settings settings() {
	Settings s;
	const char* text = getenv("GRADCUE_SIM_CUBLASLT");
	for (const char* p = text ? text : ""; *p; p += strcspn(p, ","), p += *p == ',') {
		if (strncmp(p, "fast=own", 8) == 0) s.fast = algorithms;
		else if (strncmp(p, "fast=", 5) == 0) s.fast = atoi(p + 5);
		else if (strncmp(p, "lacks=", 6) == 0) s.lacks = atoi(p + 6);
		else if (strncmp(p, "pause=", 6) == 0) s.pause_us = unsigned(atoi(p + 6));
		else if (strncmp(p, "version=", 8) == 0) s.version = size_t(atol(p + 8));
		else fprintf(stderr, "GRADCUE_SIM_CUBLASLT: the keys are fast, lacks, pause, version: %s\n", p);
	}
	return s;
}

// look finds the simulated driver among the libraries of the process.
int look(struct dl_phdr_info* info, size_t, void* found) {
	void* lib = info->dlpi_name && *info->dlpi_name ? dlopen(info->dlpi_name, RTLD_NOW | RTLD_NOLOAD) : nullptr;
	if (!lib) return 0;
	void* f = dlsym(lib, "cuSimQueue");
	dlclose(lib); // who opened it still has it
	*static_cast<Queue*>(found) = reinterpret_cast<Queue>(f);
	return f != nullptr;
}

} // namespace

struct cublasLtContext {
	Queue queue;
};
struct cublasLtDesc {
	Product p;
	uint32_t end = CUBLASLT_EPILOGUE_DEFAULT;
};
struct cublasLtLayout {
	Matrix m;
};
struct cublasLtPreference {
	uint64_t workspace = 0;
	uint32_t scheme = 7, aligned[4] = {256, 256, 256, 256};
};

namespace {

// The first word of an algorithm is its number, the second says whose it is.
const uint64_t mark = 0x6772616463756573;

cublasLtMatmulAlgo_t algorithm(int i) { return {{uint64_t(i), mark ^ settings().version, 0, 0, 0, 0, 0, 0}}; }

bool whole_product(cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t d, Product* p) {
	if (!desc || !a || !b || !d) return false;
	*p = desc->p;
	p->a = a->m, p->b = b->m, p->d = d->m;
	return (desc->end == CUBLASLT_EPILOGUE_BIAS) == (p->bias != 0);
}

template <class T> int set(T& to, const void* from, size_t n) {
	if (n != sizeof to) return CUBLAS_STATUS_INVALID_VALUE;
	memcpy(&to, from, n);
	return CUBLAS_STATUS_SUCCESS;
}

SimRange range(const Matrix& m, CUdeviceptr p, int write) {
	size_t size = size_of(m.type);
	if (uint64_t(m.ld) == m.rows) return {p, 1, m.rows * m.cols * size, 0, write};
	return {p, m.cols, m.rows * size, m.ld * size, write};
}

void run(void* data) {
	const Product& p = *static_cast<Product*>(data);
	Settings s = settings();
	if (s.fast >= 0 && s.fast != p.algorithm) std::this_thread::sleep_for(std::chrono::microseconds(s.pause_us));
	compute(p);
}

void gone(void* data) { delete static_cast<Product*>(data); }

} // namespace

extern "C" {

#pragma GCC visibility push(default)

extern const int cublasLtSimulated;
const int cublasLtSimulated = 1;

int cublasLtCreate(cublasLtHandle_t* h) {
	Queue queue = nullptr;
	dl_iterate_phdr(look, &queue);
	if (!queue) return CUBLAS_STATUS_NOT_INITIALIZED;
	*h = new cublasLtContext{queue};
	return CUBLAS_STATUS_SUCCESS;
}

int cublasLtDestroy(cublasLtHandle_t h) {
	delete h;
	return CUBLAS_STATUS_SUCCESS;
}

size_t cublasLtGetVersion(void) { return settings().version; }

int cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* d, int compute, int scale) {
	if (scale != CUDA_R_32F) return CUBLAS_STATUS_NOT_SUPPORTED;
	*d = new cublasLtDesc;
	(*d)->p.compute = compute;
	return CUBLAS_STATUS_SUCCESS;
}

int cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t d) {
	delete d;
	return CUBLAS_STATUS_SUCCESS;
}

int cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t d, int attr, const void* v, size_t n) {
	switch (attr) {
	case CUBLASLT_MATMUL_DESC_TRANSA: return set(d->p.turn_a, v, n);
	case CUBLASLT_MATMUL_DESC_TRANSB: return set(d->p.turn_b, v, n);
	case CUBLASLT_MATMUL_DESC_EPILOGUE: return set(d->end, v, n);
	case CUBLASLT_MATMUL_DESC_BIAS_POINTER: return set(d->p.bias, v, n);
	}
	return CUBLAS_STATUS_NOT_SUPPORTED;
}

int cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* l, int type, uint64_t rows, uint64_t cols, int64_t ld) {
	if (ld < int64_t(rows)) return CUBLAS_STATUS_INVALID_VALUE;
	*l = new cublasLtLayout{{type, rows, cols, ld}};
	return CUBLAS_STATUS_SUCCESS;
}

int cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t l) {
	delete l;
	return CUBLAS_STATUS_SUCCESS;
}

int cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* p) {
	*p = new cublasLtPreference;
	return CUBLAS_STATUS_SUCCESS;
}

int cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t p) {
	delete p;
	return CUBLAS_STATUS_SUCCESS;
}

int cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t p, int attr, const void* v, size_t n) {
	if (attr == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES) return set(p->workspace, v, n);
	if (attr == CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK) return set(p->scheme, v, n);
	int k = attr - CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES;
	return k < 0 || k > 3 ? int(CUBLAS_STATUS_NOT_SUPPORTED) : set(p->aligned[k], v, n);
}

int cublasLtMatmulAlgoCheck(cublasLtHandle_t, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                            cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d, const cublasLtMatmulAlgo_t* algo, cublasLtMatmulHeuristicResult_t* r) {
	Product p;
	if (c != d || !whole_product(desc, a, b, d, &p)) return CUBLAS_STATUS_INVALID_VALUE;
	uint64_t i = algo->data[0];
	if (i >= uint64_t(algorithms) || algo->data[1] != (mark ^ settings().version)) return CUBLAS_STATUS_INVALID_VALUE;
	if (!refused(p).empty() || int(i) == settings().lacks) return CUBLAS_STATUS_NOT_SUPPORTED;
	*r = {*algo, workspace(p, int(i)), CUBLAS_STATUS_SUCCESS, 1.0f, {}};
	return CUBLAS_STATUS_SUCCESS;
}

int cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t h, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                   cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d, cublasLtMatmulPreference_t pref, int wanted,
                                   cublasLtMatmulHeuristicResult_t* list, int* got) {
	*got = 0;
	for (uint32_t n : pref->aligned)
		if (n < 16) return CUBLAS_STATUS_NOT_SUPPORTED;
	for (int i = 0; i < algorithms && *got < wanted; i++) {
		cublasLtMatmulAlgo_t one = algorithm(i);
		cublasLtMatmulHeuristicResult_t r = {};
		if (cublasLtMatmulAlgoCheck(h, desc, a, b, c, d, &one, &r) || r.workspaceSize > pref->workspace) continue;
		if (i == 2 && !(pref->scheme & CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE)) continue;
		list[(*got)++] = r;
	}
	return *got ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

int cublasLtMatmul(cublasLtHandle_t h, cublasLtMatmulDesc_t desc, const void* alpha, const void* a, cublasLtMatrixLayout_t la, const void* b,
                   cublasLtMatrixLayout_t lb, const void* beta, const void* c, cublasLtMatrixLayout_t lc, void* d, cublasLtMatrixLayout_t ld,
                   const cublasLtMatmulAlgo_t* algo, void* space, size_t room, CUstream s) {
	cublasLtMatmulHeuristicResult_t r = {};
	if (int status = cublasLtMatmulAlgoCheck(h, desc, la, lb, lc, ld, algo, &r)) return status;
	if (c != d || r.workspaceSize > room) return CUBLAS_STATUS_INVALID_VALUE;
	auto* p = new Product;
	whole_product(desc, la, lb, ld, p);
	p->pa = uintptr_t(a), p->pb = uintptr_t(b), p->pd = uintptr_t(d);
	p->alpha = *static_cast<const float*>(alpha), p->beta = *static_cast<const float*>(beta);
	p->algorithm = int(algo->data[0]), p->workspace = uintptr_t(space);
	if ((p->pa | p->pb | p->pd | p->workspace) % 16 || p->bias % size_of(p->d.type)) {
		delete p;
		return CUBLAS_STATUS_NOT_SUPPORTED;
	}
	std::vector<SimRange> touched = {range(p->a, p->pa, 0), range(p->b, p->pb, 0)};
	if (p->beta != 0) touched.push_back(range(p->d, p->pd, 0));
	if (p->bias) touched.push_back({p->bias, 1, p->d.rows * size_of(p->d.type), 0, 0});
	if (r.workspaceSize) touched.push_back({p->workspace, 1, r.workspaceSize, 0, 1});
	touched.push_back(range(p->d, p->pd, 1));
	return h->queue(s, touched.data(), int(touched.size()), run, gone, p) ? CUBLAS_STATUS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;
}

#pragma GCC visibility pop

} // extern "C"
