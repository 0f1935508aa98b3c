//go:build cuda

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "cublaslt.h"

#define HIDDEN __attribute__((visibility("hidden")))

/* The functions of the library, as pointers. */
static struct {
#define POINTER(result, name, params) result(*name) params;
	CUBLASLT_FUNCTIONS(POINTER)
#undef POINTER
} lt;

static void *library;
static int handles; /* that there are */
static char asked[4096], file[4096], failure[4608];

/* load fills lt. A library stays in memory even when it is not used: some do not
   bear to be closed. */
static const char *load(const char *path)
{
	if (library && strcmp(path, asked) == 0)
		return NULL;
	if (handles) {
		snprintf(failure, sizeof failure, "%s is in use by this process already", file);
		return failure;
	}
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		snprintf(failure, sizeof failure, "%s", dlerror());
		return failure;
	}
#define BIND(result, name, params)                                                                       \
	*(void **)&lt.name = dlsym(library, #name);                                                      \
	if (!lt.name) {                                                                                  \
		snprintf(failure, sizeof failure, "%s: it has no function %s", path, #name);             \
		library = NULL;                                                                          \
		return failure;                                                                          \
	}
	CUBLASLT_FUNCTIONS(BIND)
#undef BIND
	Dl_info info;
	int found = dladdr(*(void **)&lt.cublasLtMatmul, &info) && info.dli_fname;
	snprintf(asked, sizeof asked, "%s", path);
	snprintf(file, sizeof file, "%s", found ? info.dli_fname : path);
	return NULL;
}

HIDDEN const char *gradcue_lt_load(const char *path, cublasLtHandle_t *handle)
{
	const char *why = load(path);
	if (why)
		return why;
	int status = lt.cublasLtCreate(handle);
	if (status != CUBLAS_STATUS_SUCCESS) {
		snprintf(failure, sizeof failure, "%s: cublasLtCreate answers %d", path, status);
		return failure;
	}
	handles++;
	return NULL;
}

HIDDEN const char *gradcue_lt_path(void) { return file; }

HIDDEN size_t gradcue_lt_version(void) { return library ? lt.cublasLtGetVersion() : 0; }

HIDDEN int gradcue_lt_close(cublasLtHandle_t handle)
{
	if (!handle)
		return CUBLAS_STATUS_SUCCESS;
	handles--;
	return lt.cublasLtDestroy(handle);
}

static int describe(gradcue_matmul *m, const gradcue_shape *s)
{
	int32_t a = s->turn_a ? CUBLAS_OP_T : CUBLAS_OP_N, b = s->turn_b ? CUBLAS_OP_T : CUBLAS_OP_N;
	uint32_t end = s->bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
	void *bias = (void *)(uintptr_t)s->bias;
	int status = lt.cublasLtMatmulDescCreate(&m->desc, s->compute, CUDA_R_32F);
	if (!status)
		status = lt.cublasLtMatmulDescSetAttribute(m->desc, CUBLASLT_MATMUL_DESC_TRANSA, &a, sizeof a);
	if (!status)
		status = lt.cublasLtMatmulDescSetAttribute(m->desc, CUBLASLT_MATMUL_DESC_TRANSB, &b, sizeof b);
	if (!status)
		status = lt.cublasLtMatmulDescSetAttribute(m->desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &end, sizeof end);
	if (!status && bias)
		status = lt.cublasLtMatmulDescSetAttribute(m->desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias);
	return status;
}

HIDDEN int gradcue_lt_make(gradcue_matmul *m, cublasLtHandle_t handle, const gradcue_shape *s)
{
	memset(m, 0, sizeof *m);
	m->handle = handle;
	m->alpha = 1;
	m->beta = s->add ? 1 : 0;
	int status = describe(m, s);
	if (!status)
		status = lt.cublasLtMatrixLayoutCreate(&m->a_layout, s->type, s->turn_a ? s->k : s->m, s->turn_a ? s->m : s->k, s->lda);
	if (!status)
		status = lt.cublasLtMatrixLayoutCreate(&m->b_layout, s->type, s->turn_b ? s->n : s->k, s->turn_b ? s->k : s->n, s->ldb);
	if (!status)
		status = lt.cublasLtMatrixLayoutCreate(&m->d_layout, s->result, s->m, s->n, s->ldd);
	return status;
}

HIDDEN void gradcue_lt_free(gradcue_matmul *m)
{
	if (m->desc)
		lt.cublasLtMatmulDescDestroy(m->desc);
	cublasLtMatrixLayout_t layouts[3] = {m->a_layout, m->b_layout, m->d_layout};
	for (int i = 0; i < 3; i++)
		if (layouts[i])
			lt.cublasLtMatrixLayoutDestroy(layouts[i]);
	memset(m, 0, sizeof *m);
}

/* preferred makes what the search asks for: the workspace, sums in f32, and
   addresses at multiples of 16 bytes. */
static int preferred(cublasLtMatmulPreference_t *p, size_t workspace)
{
	uint64_t bytes = workspace;
	uint32_t scheme = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE, aligned = 16;
	int status = lt.cublasLtMatmulPreferenceCreate(p);
	if (!status)
		status = lt.cublasLtMatmulPreferenceSetAttribute(*p, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof bytes);
	if (!status)
		status = lt.cublasLtMatmulPreferenceSetAttribute(*p, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &scheme, sizeof scheme);
	for (int k = CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES; !status && k <= CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES; k++)
		status = lt.cublasLtMatmulPreferenceSetAttribute(*p, k, &aligned, sizeof aligned);
	return status;
}

HIDDEN int gradcue_lt_search(const gradcue_matmul *m, size_t workspace, int n, cublasLtMatmulHeuristicResult_t *list, int *got)
{
	cublasLtMatmulPreference_t p = NULL;
	*got = 0;
	int status = preferred(&p, workspace);
	if (!status)
		status = lt.cublasLtMatmulAlgoGetHeuristic(m->handle, m->desc, m->a_layout, m->b_layout, m->d_layout, m->d_layout, p, n, list, got);
	if (p)
		lt.cublasLtMatmulPreferenceDestroy(p);
	return status;
}

HIDDEN int gradcue_lt_check(const gradcue_matmul *m, const cublasLtMatmulAlgo_t *algo, size_t *workspace)
{
	cublasLtMatmulHeuristicResult_t r;
	memset(&r, 0, sizeof r);
	int status = lt.cublasLtMatmulAlgoCheck(m->handle, m->desc, m->a_layout, m->b_layout, m->d_layout, m->d_layout, algo, &r);
	*workspace = r.workspaceSize;
	return status ? status : r.state;
}

HIDDEN int gradcue_lt_run(const gradcue_matmul *m, CUstream stream)
{
	return lt.cublasLtMatmul(m->handle, m->desc, &m->alpha, (const void *)(uintptr_t)m->a, m->a_layout, (const void *)(uintptr_t)m->b,
				 m->b_layout, &m->beta, (const void *)(uintptr_t)m->d, m->d_layout, (void *)(uintptr_t)m->d, m->d_layout,
				 &m->algo, (void *)(uintptr_t)m->workspace, m->workspace_bytes, stream);
}
