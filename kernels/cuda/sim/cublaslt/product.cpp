#include "product.h"

#include <cmath>
#include <cstring>
#include <vector>

namespace simlt {

namespace {

template <class T> T* at(CUdeviceptr p, uint64_t i) { return reinterpret_cast<T*>(uintptr_t(p)) + i; }

float from_bits(uint32_t bits) {
	float x;
	memcpy(&x, &bits, 4);
	return x;
}

uint32_t bits_of(float x) {
	uint32_t bits;
	memcpy(&bits, &x, 4);
	return bits;
}

float load(int type, CUdeviceptr p, uint64_t i) {
	switch (type) {
	case CUDA_R_16BF: return from_bits(uint32_t(*at<uint16_t>(p, i)) << 16);
	case CUDA_R_16F: return float(*at<_Float16>(p, i));
	}
	return *at<float>(p, i);
}

// Rounded to nearest, ties to even.
void store(int type, CUdeviceptr p, uint64_t i, float x) {
	switch (type) {
	case CUDA_R_16BF: {
		uint32_t bits = bits_of(x);
		*at<uint16_t>(p, i) = uint16_t(x != x ? bits >> 16 | 64 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
		return;
	}
	case CUDA_R_16F: *at<_Float16>(p, i) = _Float16(x); return;
	}
	*at<float>(p, i) = x;
}

// tf32 keeps ten bits of fraction, ties away from zero.
float tf32(float x) { return std::isfinite(x) ? from_bits((bits_of(x) + 0x1000) & ~0x1fffu) : x; }

// Operand is op(X) as numbers, k the fast index.
struct Operand {
	std::vector<float> x;
	uint64_t k;
	const float* row(uint64_t i) const { return &x[i * k]; }
};

Operand gather(const Matrix& m, CUdeviceptr p, uint64_t rows, uint64_t k, bool k_is_row, bool rounded) {
	Operand o{std::vector<float>(rows * k), k};
	for (uint64_t i = 0; i < rows; i++)
		for (uint64_t j = 0; j < k; j++) {
			float v = load(m.type, p, k_is_row ? i * m.ld + j : j * m.ld + i);
			o.x[i * k + j] = rounded ? tf32(v) : v;
		}
	return o;
}

float chain(const float* a, const float* b, uint64_t from, uint64_t to) {
	float s = 0;
	for (uint64_t k = from; k < to; k++) s = fmaf(a[k], b[k], s);
	return s;
}

float lanes(const float* a, const float* b, uint64_t n) {
	float s[8] = {};
	for (uint64_t k = 0; k < n; k++) s[k % 8] = fmaf(a[k], b[k], s[k % 8]);
	return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

float backwards(const float* a, const float* b, uint64_t n) {
	float s = 0;
	for (uint64_t k = n; k-- > 0;) s = fmaf(a[k], b[k], s);
	return s;
}

float sum(const Product& p, const float* a, const float* b, uint64_t i, uint64_t j) {
	uint64_t k = p.k();
	switch (p.algorithm) {
	case 1: return lanes(a, b, k);
	case 2: {
		float* half = at<float>(p.workspace, j * p.m() + i);
		*half = chain(a, b, k / 2, k);
		return chain(a, b, 0, k / 2) + *half;
	}
	case 3: return backwards(a, b, k);
	}
	return chain(a, b, 0, k);
}

} // namespace

size_t workspace(const Product& p, int algorithm) { return algorithm == 2 ? p.m() * p.n() * 4 : 0; }

size_t size_of(int type) { return type == CUDA_R_32F ? 4 : 2; }

std::string refused(const Product& p) {
	bool half = p.a.type == CUDA_R_16BF || p.a.type == CUDA_R_16F;
	if (p.a.type != p.b.type || (!half && p.a.type != CUDA_R_32F)) return "types of A and B";
	if (p.d.type != CUDA_R_32F && p.d.type != p.a.type) return "type of D";
	if (p.compute != (half ? CUBLAS_COMPUTE_32F : CUBLAS_COMPUTE_32F_FAST_TF32)) return "type of the sums";
	uint64_t m = p.turn_a == CUBLAS_OP_N ? p.a.rows : p.a.cols, kb = p.turn_b == CUBLAS_OP_N ? p.b.rows : p.b.cols,
	         n = p.turn_b == CUBLAS_OP_N ? p.b.cols : p.b.rows;
	if (m != p.d.rows || n != p.d.cols || kb != p.k() || !m || !n || !kb) return "sizes";
	for (const Matrix* x : {&p.a, &p.b, &p.d}) {
		if (x->ld < int64_t(x->rows)) return "row length";
		if (x->ld * size_of(x->type) % 16) return "rows that are no multiple of 16 bytes";
	}
	return "";
}

void compute(const Product& p) {
	bool rounded = p.compute == CUBLAS_COMPUTE_32F_FAST_TF32;
	Operand a = gather(p.a, p.pa, p.m(), p.k(), p.turn_a != CUBLAS_OP_N, rounded);
	Operand b = gather(p.b, p.pb, p.n(), p.k(), p.turn_b == CUBLAS_OP_N, rounded);
	for (uint64_t j = 0; j < p.n(); j++)
		for (uint64_t i = 0; i < p.m(); i++) {
			uint64_t e = j * p.d.ld + i;
			float v = p.alpha * sum(p, a.row(i), b.row(j), i, j);
			if (p.beta != 0) v += p.beta * load(p.d.type, p.pd, e);
			if (p.bias) v += load(p.d.type, p.bias, i);
			store(p.d.type, p.pd, e, v);
		}
}

} // namespace simlt
