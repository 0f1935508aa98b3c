// The arithmetic of the simulated library: one product, by one of several
// algorithms that sum in different orders, so that another algorithm has other
// bits. Matrices are column-major.
#pragma once

#include "cublaslt.h"

#include <string>

namespace simlt {

struct Matrix {
	int type = 0; // CUDA_R_…
	uint64_t rows = 0, cols = 0;
	int64_t ld = 0; // elements from column to column
};

struct Product {
	int compute = 0; // CUBLAS_COMPUTE_…
	int turn_a = CUBLAS_OP_N, turn_b = CUBLAS_OP_N;
	Matrix a, b, d; // C is D
	CUdeviceptr pa = 0, pb = 0, pd = 0, bias = 0;
	float alpha = 1, beta = 0;
	int algorithm = 0;
	CUdeviceptr workspace = 0;

	uint64_t m() const { return d.rows; }
	uint64_t n() const { return d.cols; }
	uint64_t k() const { return turn_a == CUBLAS_OP_N ? a.cols : a.rows; }
};

// The algorithms: k ascending; eight sums over k mod 8; two halves of k, the
// second of which lies in the workspace; k descending.
const int algorithms = 4;

// workspace is what an algorithm needs, in bytes.
size_t workspace(const Product& p, int algorithm);

size_t size_of(int type);

// refused says why a product cannot be computed, or nothing. Not everything that
// the real library refuses is known here: types, sizes and row lengths are.
std::string refused(const Product& p);

// compute makes the product.
void compute(const Product& p);

} // namespace simlt
