// What becomes of the products x[r]·w[n] of a linear layer, some neighbours of a
// row at a time:
//
//   linear_plain  y = round(x·w + b)
//   linear_gelu   fc = round(x·w + b), act = round(gelu(fc))
//   linear_add    y = round(r + round(x·w + b))
//
// round is storing: an op that is made in one kernel rounds as its parts do one
// after the other, so that both have the same bits. b may be absent, and fc where
// only act is kept.
#pragma once
#include "gelu.cuh"
#include "storage.cuh"

template <class T> struct linear_plain {
	gp_rows<T> y;
	const T* b;

	template <int P> GP_DEVICE_MEMBER void operator()(i64 r, i64 n, const float (&v)[P]) const {
		float s[P];
		sum(s, n, v);
		y(r, n, s);
	}
	template <int P> GP_DEVICE_MEMBER void sum(float (&s)[P], i64 n, const float (&v)[P]) const {
		GP_UNROLL
		for (int k = 0; k < P; k++) s[k] = v[k];
		if (!b) return;
		float bias[P];
		gp_read(bias, b, n, y.N, true);
		GP_UNROLL
		for (int k = 0; k < P; k++) s[k] += bias[k];
	}
};

template <class T> struct linear_gelu {
	linear_plain<T> fc;
	gp_rows<T> act;
	bool tanh;

	template <int P> GP_DEVICE_MEMBER void operator()(i64 r, i64 n, const float (&v)[P]) const {
		float s[P];
		fc.sum(s, n, v);
		if (fc.y.p) fc.y(r, n, s);
		GP_UNROLL
		for (int k = 0; k < P; k++) s[k] = gp_gelu(gp_round<T>(s[k]), tanh);
		act(r, n, s);
	}
};

template <class T> struct linear_add {
	linear_plain<T> y;
	gp_rows<const T> residual;

	template <int P> GP_DEVICE_MEMBER void operator()(i64 r, i64 n, const float (&v)[P]) const {
		float s[P], t[P];
		y.sum(s, n, v);
		residual.get(t, r, n);
		GP_UNROLL
		for (int k = 0; k < P; k++) s[k] = t[k] + gp_round<T>(s[k]);
		y.y(r, n, s);
	}
};
