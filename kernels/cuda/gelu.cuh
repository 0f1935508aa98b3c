// GELU (Hendrycks & Gimpel, arXiv:1606.08415) of one number, both forms:
//
//   exact  y = x Φ(x), Φ the normal distribution function
//   tanh   y = x/2 (1 + tanh u), u = √(2/π)(x + 0.044715 x³)
#pragma once
#include "math.cuh"

// e^(-2u): (1 + tanh u)/2 = 1/(1 + e^(-2u)) has no cancellation.
GP_DEVICE float gelu_tanh_exp(float x) {
	float cube = gp_fma(0.044715f * x, x, 1.0f);
	return gp_exp(-1.59576912160573071176f * x * cube);
}

// Φ(x), given e = e^(-x²/2): half of erfc(|x|/√2) = e t P(t), t = 1/(1+0.3|x|/√2),
// taken from one for positive x. P is near-minimax, relative error 9e-8.
GP_DEVICE float gelu_cdf(float x, float e) {
	float t = 1.0f / gp_fma(0.21213203435596425732f, x < 0.0f ? -x : x, 1.0f);
	float q = gp_fma(-0.130419334269f, t, 0.490205139942f);
	q = gp_fma(q, t, -0.522535962433f);
	q = gp_fma(q, t, 0.560327381881f);
	q = gp_fma(q, t, -0.104055148225f);
	q = gp_fma(q, t, 0.219276234959f);
	q = gp_fma(q, t, 0.147123140766f);
	q = gp_fma(q, t, 0.170902715415f);
	q = gp_fma(q, t, 0.169175812297f);
	float tail = 0.5f * e * (q * t);
	return x < 0.0f ? tail : 1.0f - tail;
}

GP_DEVICE float gp_gelu(float x, bool tanh) {
	if (tanh) return x / (1.0f + gelu_tanh_exp(x));
	return x * gelu_cdf(x, gp_exp(-0.5f * x * x));
}

// dGELU(x)/dx: Φ(x) + x φ(x), or with s = 1/(1+e^(-2u)), s + x s(1-s) 2u'.
GP_DEVICE float gp_gelu_slope(float x, bool tanh) {
	if (tanh) {
		float s = 1.0f / (1.0f + gelu_tanh_exp(x));
		float du = 1.59576912160573071176f * gp_fma(3.0f * 0.044715f * x, x, 1.0f) * x;
		return gp_fma(s * (1.0f - s), du, s);
	}
	float e = gp_exp(-0.5f * x * x);
	return gp_fma(x, 0.39894228040143267794f * e, gelu_cdf(x, e));
}
