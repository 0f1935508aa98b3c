//go:build cuda

package cuda

// What a launch is as a product for a library (product), where it runs on the
// tensor cores and all three matrices have rows of whole pieces of 16 bytes. The
// library's one epilogue that is used adds the bias before the only rounding, as
// our kernel does. GELU and residual come after the rounding, as launches of ours.

// asProduct says of a launch what product it is; o.onTensor has been asked for
// both operands.
func (o *operands) asProduct(l Launch, op string, M, N, K int, p product) Launch {
	if p.d.row*bytesOf(p.Result)%16 != 0 {
		return l
	}
	p.Op, p.M, p.N, p.K, p.Bias = op, M, N, K, p.bias != 0
	if p.Type == "f32" {
		p.Type = "tf32"
	}
	l.product = &p
	return l
}

// forward is the launch of a linear layer that writes its product to y, and GELU of
// it to act where that is named.
func (o *operands) forward(l Launch, y, act string) Launch {
	R, K, N, d := o.dim("x", 0), o.dim("x", 1), o.dim("w", 0), o.dtype("x")
	if !o.onTensor(d, K) {
		return l
	}
	at, n := o.addr(y), R*N
	p := product{a: matrix{at: o.addr("x"), row: K}, b: matrix{at: o.addr("w"), row: K}, d: matrix{at: at, row: N}, bias: o.addr("b")}
	p.Type, p.Result = d, d
	switch {
	case act != "":
		p.then = []Launch{along("gelu_"+d, packs(n, d), 256, o.addr(act), at, n, o.attr.Tanh)}
	case o.op.Arg("r") >= 0:
		p.then = []Launch{along("add_"+d, packs(n, d), 256, at, o.addr("r"), at, n)}
	}
	return o.asProduct(l, "linear", R, N, K, p)
}

// gradientX is the launch of dx = dy w, gradientW that of gw (+)= dyᵀ x.
func (o *operands) gradientX(l Launch) Launch {
	R, K, N, d := o.dim("dy", 0), o.dim("w", 1), o.dim("w", 0), o.dtype("dy")
	if !o.onTensor(d, K, N) {
		return l
	}
	p := product{a: matrix{at: o.addr("dy"), row: N}, b: matrix{o.addr("w"), K, true}, d: matrix{at: o.addr("dx"), row: K}}
	p.Type, p.Result = d, d
	return o.asProduct(l, "linear.dx", R, K, N, p)
}

func (o *operands) gradientW(l Launch) Launch {
	R, K, N, d := o.dim("x", 0), o.dim("x", 1), o.dim("dy", 1), o.dtype("x")
	if !o.onTensor(d, K, N) {
		return l
	}
	p := product{a: matrix{o.addr("dy"), N, true}, b: matrix{o.addr("x"), K, true}, d: matrix{at: o.addr("gw"), row: K}, ctl: o.addr("ctl")}
	p.Type, p.Result = d, "f32"
	return o.asProduct(l, "linear.dw", N, K, R, p)
}

// headChunk is where n rows of the head lie: logits and their gradients in rows
// of the given length, x and dx in rows of C, w and gw of V rows of C.
type headChunk struct {
	n, C, V, length      int
	logits, x, w, dx, gw uint64
}

// logitsOf, headDX and headDW are the launches of the products of the head. The
// gradients are plain products where the gradient of the logits is stored in the
// type of the products: not for f16, whose is f32.
func (o *operands) logitsOf(l Launch, c headChunk) Launch {
	p := product{a: matrix{at: c.x, row: c.C}, b: matrix{at: c.w, row: c.C}, d: matrix{at: c.logits, row: c.length}}
	p.Type, p.Result = o.dtype("x"), "f32"
	return o.asProduct(l, "head.logits", c.n, c.V, c.C, p)
}

func (o *operands) headDX(l Launch, c headChunk) Launch {
	d := o.dtype("x")
	if d == "f16" {
		return l
	}
	p := product{a: matrix{at: c.logits, row: c.length * 4 / bytesOf(d)}, b: matrix{c.w, c.C, true}, d: matrix{at: c.dx, row: c.C}}
	p.Type, p.Result = d, d
	return o.asProduct(l, "head.dx", c.n, c.C, c.V, p)
}

// headDW begins with what the control buffer says in the first chunk only.
func (o *operands) headDW(l Launch, c headChunk, first bool) Launch {
	d := o.dtype("x")
	if d == "f16" {
		return l
	}
	p := product{a: matrix{c.logits, c.length * 4 / bytesOf(d), true}, b: matrix{c.x, c.C, true}, d: matrix{at: c.gw, row: c.C}, add: !first}
	if first {
		p.ctl = o.addr("ctl")
	}
	p.Type, p.Result = d, "f32"
	return o.asProduct(l, "head.dw", c.V, c.C, c.n, p)
}
