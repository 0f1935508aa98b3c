package main

// Constants of the activations, as in kernels/cpu/gelu.go.
const (
	sqrt2OverPi = 0.79788456080286535588
	geluCubic   = 0.044715
	invSqrt2Pi  = 0.39894228040143267794
	invSqrt2    = 0.70710678118654752440
	erfcP       = 0.3
)

// erfcPoly are the coefficients of erfc(z) = e^(-z²) t P(t), highest power first.
var erfcPoly = []float64{-0.130419334269, 0.490205139942, -0.522535962433, 0.560327381881, -0.104055148225,
	0.219276234959, 0.147123140766, 0.170902715415, 0.169175812297}

// logistic replaces e = e^(-z) by 1/(1+e).
func (l *lanes) logistic(e vec) {
	one := l.alloc()
	l.set(one, 1.0)
	l.add(e, e, one)
	l.div(e, one, e)
	l.free(one)
}

// tanhExp returns e^(-2u) for u = √(2/π)(x + 0.044715 x³).
func (l *lanes) tanhExp(x vec) vec {
	e, cube := l.alloc(), l.alloc()
	l.mul(cube, x, geluCubic)
	l.horner(cube, x, 1.0)
	l.mul(e, x, -2*sqrt2OverPi)
	l.mul(e, e, cube)
	l.free(cube)
	l.exp(e)
	return e
}

// gaussian returns e^(-x²/2).
func (l *lanes) gaussian(x vec) vec {
	e := l.alloc()
	l.mul(e, x, -0.5)
	l.mul(e, e, x)
	l.exp(e)
	return e
}

// normalCDF returns Φ(x) from e = e^(-x²/2): half of erfc(|x|/√2), taken from one where the sign bit of x is clear.
func (l *lanes) normalCDF(x, e vec) vec {
	t, q := l.alloc(), l.alloc()
	l.set(q, 1.0)
	l.bits("VPAND", ^signBit, x, t)
	l.op("VFMADD132PS", erfcP*invSqrt2, q, t) // |x| c + 1
	l.div(t, q, t)
	l.set(q, erfcPoly[0])
	for _, c := range erfcPoly[1:] {
		l.horner(q, t, c)
	}
	l.mul(q, q, t)
	l.mul(t, e, 0.5)
	l.mul(q, q, t)
	sign, other := t, l.alloc()
	l.op("VPSRAD", "$31", x, sign)
	l.set(other, 1.0)
	l.sub(other, other, q)
	l.bits("VPAND", q, sign, q)
	l.bits("VPANDN", other, sign, other)
	l.bits("VPOR", q, other, q)
	l.free(t, other)
	return q
}

// activations are GELU in both forms, SwiGLU, and their gradients.
var activations = []row{
	{spec: spec{name: "tanhGELU", params: params("y", "x"), doc: []string{
		"is GELU in the tanh form.",
		"",
		"\tfor i, v := range x {",
		"\t\ty[i] = v / (1 + exp((-2*√(2/π)*v)*fma(0.044715*v, v, 1)))",
		"\t}"}},
		over: "x", body: elementwise("y", "x", func(l *lanes, x vec) {
			e := l.tanhExp(x)
			l.add(e, e, 1.0)
			l.div(x, x, e)
			l.free(e)
		})},
	{spec: spec{name: "tanhGELUGrad", params: params("dx", "x", "dy"), doc: []string{
		"is the gradient of tanhGELU.",
		"",
		"\tfor i, v := range x {",
		"\t\ts := 1 / (1 + e) // e as in tanhGELU",
		"\t\tdu := (2*√(2/π) * fma(3*0.044715*v, v, 1)) * v",
		"\t\tdx[i] = dy[i] * fma(s*(1-s), du, s)",
		"\t}"}},
		over: "x", body: elementwise("dx", "x", func(l *lanes, x vec) {
			s := l.tanhExp(x)
			l.logistic(s)
			o, du := l.alloc(), l.alloc()
			l.set(o, 1.0)
			l.sub(o, o, s)
			l.mul(o, o, s)
			l.mul(du, x, 3*geluCubic)
			l.horner(du, x, 1.0)
			l.mul(du, du, 2*sqrt2OverPi)
			l.mul(du, du, x)
			l.fma(s, o, du)
			l.load(x, "dy")
			l.mul(x, x, s)
			l.free(s, o, du)
		})},
	{spec: spec{name: "exactGELU", params: params("y", "x"), doc: []string{
		"is GELU in the exact form.",
		"",
		"\tfor i, v := range x {",
		"\t\ty[i] = v * Φ(v)",
		"\t}"}},
		over: "x", body: elementwise("y", "x", func(l *lanes, x vec) {
			e := l.gaussian(x)
			phi := l.normalCDF(x, e)
			l.mul(x, x, phi)
			l.free(e, phi)
		})},
	{spec: spec{name: "exactGELUGrad", params: params("dx", "x", "dy"), doc: []string{
		"is the gradient of exactGELU.",
		"",
		"\tfor i, v := range x {",
		"\t\tdx[i] = dy[i] * fma(v, φ(v), Φ(v))",
		"\t}"}},
		over: "x", body: elementwise("dx", "x", func(l *lanes, x vec) {
			e := l.gaussian(x)
			phi := l.normalCDF(x, e)
			l.mul(e, e, invSqrt2Pi)
			l.fma(phi, x, e)
			l.load(x, "dy")
			l.mul(x, x, phi)
			l.free(e, phi)
		})},
	{spec: spec{name: "gated", params: params("h", "gate", "up"), doc: []string{
		"is SwiGLU.",
		"",
		"\tfor i, g := range gate {",
		"\t\th[i] = g / (1 + exp(-g)) * up[i]",
		"\t}"}},
		over: "gate", body: elementwise("h", "gate", func(l *lanes, g vec) {
			e := l.alloc()
			l.bits("VPXOR", signBit, g, e)
			l.exp(e)
			l.add(e, e, 1.0)
			l.div(g, g, e)
			l.by(g, "up")
			l.free(e)
		})},
	{spec: spec{name: "gatedGrad", params: params("dgate", "dup", "gate", "up", "dh"), doc: []string{
		"is the gradient of gated.",
		"",
		"\tfor i, g := range gate {",
		"\t\ts := 1 / (1 + exp(-g))",
		"\t\tdup[i] = dh[i] * (g * s)",
		"\t\tdgate[i] = (dh[i] * up[i]) * (s * fma(g, 1-s, 1))",
		"\t}"}},
		over: "gate", body: func(l *lanes) {
			l.loop(func() {
				g, s := l.get("gate"), l.alloc()
				l.bits("VPXOR", signBit, g, s)
				l.exp(s)
				l.logistic(s)
				d, o := l.get("dh"), l.alloc()
				l.mul(o, g, s)
				l.mul(o, o, d)
				l.by(d, "up") // before dup, which may be up
				l.store("dup", o)
				l.set(o, 1.0)
				l.sub(o, o, s)
				l.horner(o, g, 1.0)
				l.mul(o, o, s)
				l.mul(o, o, d)
				l.store("dgate", o)
				l.free(g, s, d, o)
			})
		}},
}
