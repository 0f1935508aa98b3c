//go:build cuda

#include "cublaslt.h"
#include "launch.h"

static CUresult queue(const gradcue_step *s)
{
	switch (s->kind) {
	case GRADCUE_LAUNCH:
		return cuLaunchKernel(s->function, s->grid[0], s->grid[1], s->grid[2], s->block[0], s->block[1], s->block[2],
				      s->shared, s->stream, s->params, NULL);
	case GRADCUE_OUT:
		return cuMemcpyDtoHAsync(s->host, s->from, s->bytes, s->stream);
	case GRADCUE_IN:
		return cuMemcpyHtoDAsync(s->to, s->host, s->bytes, s->stream);
	case GRADCUE_MOVE:
		return cuMemcpyDtoDAsync(s->to, s->from, s->bytes, s->stream);
	case GRADCUE_RECORD:
		return cuEventRecord(s->event, s->stream);
	case GRADCUE_WAIT:
		return cuStreamWaitEvent(s->stream, s->event, 0);
	}
	return CUDA_ERROR_INVALID_VALUE;
}

static CUresult product(const gradcue_step *s)
{
	int status = gradcue_lt_run(s->matmul, s->stream);
	return status ? (CUresult)(GRADCUE_STATUS + status) : CUDA_SUCCESS;
}

__attribute__((visibility("hidden")))
CUresult gradcue_run(const gradcue_step *steps, int n, int *at)
{
	for (int i = 0; i < n; i++) {
		CUresult r = steps[i].kind == GRADCUE_MATMUL ? product(&steps[i]) : queue(&steps[i]);
		if (r != CUDA_SUCCESS) {
			*at = i;
			return r;
		}
	}
	return CUDA_SUCCESS;
}
