/* A section bound to the device: what is queued, on which stream, in order. */
#ifndef GRADCUE_LAUNCH_H
#define GRADCUE_LAUNCH_H

#include "cuda.h"

enum gradcue_kind {
	GRADCUE_LAUNCH, /* function on grid × block with params */
	GRADCUE_OUT,    /* bytes from device memory `from` to pinned memory `host` */
	GRADCUE_IN,     /* bytes from pinned memory `host` to device memory `to` */
	GRADCUE_MOVE,   /* bytes from device memory `from` to device memory `to` */
	GRADCUE_RECORD, /* event on stream */
	GRADCUE_WAIT    /* stream waits for event */
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
} gradcue_step;

/* gradcue_run queues n steps and stops at the first that fails; *at is then its
   index. Nothing is waited for. */
CUresult gradcue_run(const gradcue_step *steps, int n, int *at);

#endif
