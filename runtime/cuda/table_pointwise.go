//go:build cuda

package cuda

import "math"

func add(o *operands) []Launch {
	n, d := o.elems("y"), o.dtype("y")
	return []Launch{along("add_"+d, packs(n, d), 256, o.addr("y"), o.addr("a"), o.addr("b"), n)}
}

func gelu(o *operands) []Launch {
	n, d := o.elems("y"), o.dtype("y")
	return []Launch{along("gelu_"+d, packs(n, d), 256, o.addr("y"), o.addr("x"), n, o.attr.Tanh)}
}

func geluGrad(o *operands) []Launch {
	n, d := o.elems("dx"), o.dtype("dx")
	return []Launch{along("gelu_grad_"+d, packs(n, d), 256, o.addr("dx"), o.addr("x"), o.addr("dy"), n, o.attr.Tanh)}
}

func swiGLU(o *operands) []Launch {
	R, F := o.dim("gu", 0), o.dim("gu", 1)/2
	return []Launch{along("swiglu_"+o.dtype("gu"), R*((F+3)/4), 256, o.addr("h"), o.addr("gu"), R, F)}
}

func swiGLUGrad(o *operands) []Launch {
	R, F := o.dim("gu", 0), o.dim("gu", 1)/2
	return []Launch{along("swiglu_grad_"+o.dtype("gu"), R*((F+3)/4), 256, o.addr("dgu"), o.addr("gu"), o.addr("dh"), R, F)}
}

// dropout keeps an element whose 24-bit number is at least limit: the least n
// with n/2^24 >= rate, rate rounded to float32.
func dropout(o *operands) []Launch {
	n := o.seq() * o.dim("x", 1)
	B := o.elems("x") / n
	limit := int(math.Ceil(float64(float32(o.attr.Rate)) * (1 << 24)))
	return []Launch{along("dropout_"+o.dtype("x"), B*((n+3)/4), 256, o.addr("y"), o.addr("x"), o.addr("ctl"),
		B, n, o.attr.Site, o.attr.Seed, limit, 1/(1-o.attr.Rate))}
}

func cast(o *operands) []Launch {
	n, d := o.elems("w"), o.dtype("w")
	return []Launch{along("cast_"+d, packs(n, d), 256, o.addr("w"), o.addr("x"), n)}
}
