/*
 * cublaslt.h: the part of the cuBLASLt API that is called, written from its public
 * documentation: names, values and layouts only. They are the same from version
 * 11.4 on. The library is loaded at run time; cublaslt.c is the binding.
 *
 * Matrices are column-major there. A matrix of ours, rows of length n, is its
 * transpose of n rows; cublaslt.go turns products round.
 */
#ifndef GRADCUE_CUBLASLT_H
#define GRADCUE_CUBLASLT_H

#include <stddef.h>
#include <stdint.h>

#include "cuda.h"

/* Results. */
enum {
	CUBLAS_STATUS_SUCCESS = 0,
	CUBLAS_STATUS_NOT_INITIALIZED = 1,
	CUBLAS_STATUS_ALLOC_FAILED = 3,
	CUBLAS_STATUS_INVALID_VALUE = 7,
	CUBLAS_STATUS_ARCH_MISMATCH = 8,
	CUBLAS_STATUS_MAPPING_ERROR = 11,
	CUBLAS_STATUS_EXECUTION_FAILED = 13,
	CUBLAS_STATUS_INTERNAL_ERROR = 14,
	CUBLAS_STATUS_NOT_SUPPORTED = 15,
	CUBLAS_STATUS_LICENSE_ERROR = 16
};

/* Types of elements and of the sums. */
enum { CUDA_R_32F = 0, CUDA_R_16F = 2, CUDA_R_16BF = 14 };
enum { CUBLAS_COMPUTE_32F = 68, CUBLAS_COMPUTE_32F_FAST_TF32 = 77 };

enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1 };
enum { CUBLASLT_EPILOGUE_DEFAULT = 1, CUBLASLT_EPILOGUE_BIAS = 4 };

/* Attributes of a product. */
enum {
	CUBLASLT_MATMUL_DESC_TRANSA = 3,       /* int32 */
	CUBLASLT_MATMUL_DESC_TRANSB = 4,       /* int32 */
	CUBLASLT_MATMUL_DESC_EPILOGUE = 7,     /* uint32 */
	CUBLASLT_MATMUL_DESC_BIAS_POINTER = 8  /* pointer; elements are of the type of D */
};

/* Attributes of a search for algorithms. */
enum {
	CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1,    /* uint64 */
	CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK = 3,  /* uint32 */
	CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES = 5,  /* uint32 */
	CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES = 6,
	CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES = 7,
	CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES = 8
};

/* How partial sums over k meet: in f32 in the workspace, in a fixed order. The
   schemes left out round them to the type of D. */
enum { CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE = 2 };

typedef struct cublasLtContext *cublasLtHandle_t;
typedef struct cublasLtDesc *cublasLtMatmulDesc_t;
typedef struct cublasLtLayout *cublasLtMatrixLayout_t;
typedef struct cublasLtPreference *cublasLtMatmulPreference_t;

/* The bytes may be kept and used again with the same version of the library. */
typedef struct cublasLtMatmulAlgo_t { uint64_t data[8]; } cublasLtMatmulAlgo_t;

typedef struct cublasLtMatmulHeuristicResult_t {
	cublasLtMatmulAlgo_t algo;
	size_t workspaceSize;
	int state; /* CUBLAS_STATUS_SUCCESS: the algorithm can be used */
	float wavesCount;
	int reserved[4];
} cublasLtMatmulHeuristicResult_t;

/* The functions, which a library must all have: return type, name, parameters. */
#define CUBLASLT_FUNCTIONS(F)                                                                                                     \
	F(int, cublasLtCreate, (cublasLtHandle_t *))                                                                              \
	F(int, cublasLtDestroy, (cublasLtHandle_t))                                                                               \
	F(size_t, cublasLtGetVersion, (void))                                                                                     \
	F(int, cublasLtMatmulDescCreate, (cublasLtMatmulDesc_t *, int compute, int scale))                                        \
	F(int, cublasLtMatmulDescDestroy, (cublasLtMatmulDesc_t))                                                                 \
	F(int, cublasLtMatmulDescSetAttribute, (cublasLtMatmulDesc_t, int attr, const void *, size_t))                            \
	F(int, cublasLtMatrixLayoutCreate, (cublasLtMatrixLayout_t *, int type, uint64_t rows, uint64_t cols, int64_t ld))        \
	F(int, cublasLtMatrixLayoutDestroy, (cublasLtMatrixLayout_t))                                                             \
	F(int, cublasLtMatmulPreferenceCreate, (cublasLtMatmulPreference_t *))                                                    \
	F(int, cublasLtMatmulPreferenceDestroy, (cublasLtMatmulPreference_t))                                                     \
	F(int, cublasLtMatmulPreferenceSetAttribute, (cublasLtMatmulPreference_t, int attr, const void *, size_t))                \
	F(int, cublasLtMatmulAlgoGetHeuristic,                                                                                    \
	  (cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,  \
	   cublasLtMatrixLayout_t d, cublasLtMatmulPreference_t, int wanted, cublasLtMatmulHeuristicResult_t *, int *got))        \
	F(int, cublasLtMatmulAlgoCheck,                                                                                           \
	  (cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,  \
	   cublasLtMatrixLayout_t d, const cublasLtMatmulAlgo_t *, cublasLtMatmulHeuristicResult_t *))                            \
	F(int, cublasLtMatmul,                                                                                                    \
	  (cublasLtHandle_t, cublasLtMatmulDesc_t, const void *alpha, const void *a, cublasLtMatrixLayout_t, const void *b,       \
	   cublasLtMatrixLayout_t, const void *beta, const void *c, cublasLtMatrixLayout_t, void *d, cublasLtMatrixLayout_t,      \
	   const cublasLtMatmulAlgo_t *, void *workspace, size_t, CUstream))

/* A product bound to the device: D = op(A) op(B) (+ D) (+ bias). */
typedef struct gradcue_matmul {
	cublasLtHandle_t handle;
	cublasLtMatmulDesc_t desc;
	cublasLtMatrixLayout_t a_layout, b_layout, d_layout;
	CUdeviceptr a, b, d;
	float alpha, beta;
	cublasLtMatmulAlgo_t algo;
	CUdeviceptr workspace;
	size_t workspace_bytes;
} gradcue_matmul;

/* What a product is, before it has addresses. */
typedef struct gradcue_shape {
	int compute, type, result;        /* of the sums, of A and B, of D and the bias */
	uint64_t m, n, k;                 /* op(A) is m×k, op(B) k×n */
	int turn_a, turn_b;               /* op is the transpose */
	int64_t lda, ldb, ldd;            /* row lengths of ours, column lengths of theirs */
	int add;                          /* D is added to */
	CUdeviceptr bias;                 /* one element for each row of D; 0 = none */
} gradcue_shape;

/* gradcue_lt_load loads the library at path, unless it is the one that is loaded,
   and makes a handle for the current context. It answers the reason when it
   cannot. A process uses one library; only one without handles is replaced. */
const char *gradcue_lt_load(const char *path, cublasLtHandle_t *);

/* gradcue_lt_path is the file that was loaded, gradcue_lt_version its version. */
const char *gradcue_lt_path(void);
size_t gradcue_lt_version(void);

/* gradcue_lt_close gives a handle back, NULL too. */
int gradcue_lt_close(cublasLtHandle_t);

/* gradcue_lt_make makes all of a product but addresses and algorithm;
   gradcue_lt_free gives it back, whole or half made. */
int gradcue_lt_make(gradcue_matmul *, cublasLtHandle_t, const gradcue_shape *);
void gradcue_lt_free(gradcue_matmul *);

/* gradcue_lt_search asks for up to n algorithms that need no more than
   workspace bytes, the one expected to be fastest first; gradcue_lt_check asks
   whether an algorithm can be used, and what workspace it needs. */
int gradcue_lt_search(const gradcue_matmul *, size_t workspace, int n, cublasLtMatmulHeuristicResult_t *, int *got);
int gradcue_lt_check(const gradcue_matmul *, const cublasLtMatmulAlgo_t *, size_t *workspace);

/* gradcue_lt_run queues the product. */
int gradcue_lt_run(const gradcue_matmul *, CUstream);

#endif
