/* A section bound to the device: what is queued, on which stream, in order. */
#ifndef GRADCUE_LAUNCH_H
#define GRADCUE_LAUNCH_H

#include "cuda.h"

struct gradcue_matmul; /* cublaslt.h */

enum gradcue_kind {
	GRADCUE_LAUNCH, /* function on grid × block with params */
	GRADCUE_OUT,    /* bytes from device memory `from` to pinned memory `host` */
	GRADCUE_IN,     /* bytes from pinned memory `host` to device memory `to` */
	GRADCUE_MOVE,   /* bytes from device memory `from` to device memory `to` */
	GRADCUE_RECORD, /* event on stream */
	GRADCUE_WAIT,   /* stream waits for event */
	GRADCUE_MATMUL  /* a product of cuBLASLt */
};

typedef struct gradcue_step {
	int kind;
	CUstream stream;
	CUfunction function;
	unsigned int grid[3], block[3], shared;
	void **params;
	CUdeviceptr to, from;
	void *host;
	size_t bytes;
	CUevent event;
	struct gradcue_matmul *matmul;
} gradcue_step;

/* A status of cuBLASLt is given as a CUresult above this one. */
enum { GRADCUE_STATUS = 100000 };

/* gradcue_run queues n steps and stops at the first that fails; *at is then its
   index. Nothing is waited for. */
CUresult gradcue_run(const gradcue_step *steps, int n, int *at);

#endif
