package main

// row is a kernel over slices of one length.
type row struct {
	spec
	over string // the slice whose length counts
	body func(l *lanes)
}

// pointers are the registers of slice bases, in order of the parameters.
var pointers = []string{"DI", "SI", "R8", "R9", "R10", "R11", "R12", "R13"}

// write writes the entry of one tier.
func (r row) write(f *file, zmm bool) {
	l := &lanes{entry: f.begin(r.spec, tierSuffix(zmm)), zmm: zmm, base: map[string]string{}, over: r.over}
	for _, p := range r.params {
		if p.kind == slice {
			l.base[p.name] = pointers[len(l.base)]
			l.line("MOVQ %s, %s", l.arg(p.name), l.base[p.name])
		}
	}
	r.body(l)
	l.end()
}

// params are parameters of type []float32 and, after a "|", of type float32.
func params(names ...string) []param {
	var list []param
	k := slice
	for _, n := range names {
		if n == "|" {
			k = single
			continue
		}
		list = append(list, p(n, k))
	}
	return list
}

// yields is a float32 result.
func yields(name string) *param { r := p(name, single); return &r }

// reduction is a body that folds what step adds to an accumulator.
func reduction(result string, step func(l *lanes, acc vec)) func(l *lanes) {
	return func(l *lanes) {
		acc := l.alloc()
		l.zero(acc)
		l.loop(func() { step(l, acc) })
		x := l.fold("ADD", acc, l.alloc())
		l.line("VMOVSS %s, %s", x, l.arg(result))
	}
}

// elementwise is a body that stores in dst what f makes of the loaded elements of the first source.
func elementwise(dst, src string, f func(l *lanes, x vec)) func(l *lanes) {
	return func(l *lanes) {
		l.loop(func() {
			x := l.get(src)
			f(l, x)
			l.store(dst, x)
			l.free(x)
		})
	}
}

// scaled multiplies x by the scalar argument.
func (l *lanes) scaled(x vec, scalar string) {
	s := l.alloc()
	l.broadcast(s, scalar)
	l.mul(x, x, s)
	l.free(s)
}

// minus subtracts the scalar argument from x.
func (l *lanes) minus(x vec, scalar string) {
	s := l.alloc()
	l.broadcast(s, scalar)
	l.sub(x, x, s)
	l.free(s)
}

// by multiplies x by the elements of a slice.
func (l *lanes) by(x vec, name string) {
	y := l.get(name)
	l.mul(x, x, y)
	l.free(y)
}

// rows are the reductions, softmax and simple kernels.
var rows = []row{
	{spec: spec{name: "sum16", params: params("x"), result: yields("s"), doc: []string{
		"is the sum of a row in 16 lanes.",
		"",
		"\tfor i, v := range x {",
		"\t\tlane[i%16] += v",
		"\t}",
		"\treturn tree(lane)"}},
		over: "x", body: reduction("s", func(l *lanes, acc vec) {
			x := l.get("x")
			l.add(acc, acc, x)
			l.free(x)
		})},
	{spec: spec{name: "dot16", params: params("a", "b"), result: yields("s"), doc: []string{
		"is the dot product of two rows in 16 lanes.",
		"",
		"\tfor i, v := range a {",
		"\t\tlane[i%16] = fma(v, b[i], lane[i%16])",
		"\t}",
		"\treturn tree(lane)"}},
		over: "a", body: reduction("s", func(l *lanes, acc vec) {
			x, y := l.get("a"), l.get("b")
			l.fma(acc, x, y)
			l.free(x, y)
		})},
	{spec: spec{name: "spread16", params: params("x", "|", "m"), result: yields("s"), doc: []string{
		"is the sum of squares about m in 16 lanes.",
		"",
		"\tfor i, v := range x {",
		"\t\tlane[i%16] = fma(v-m, v-m, lane[i%16])",
		"\t}",
		"\treturn tree(lane)"}},
		over: "x", body: reduction("s", func(l *lanes, acc vec) {
			x := l.get("x")
			l.minus(x, "m")
			l.only(x)
			l.fma(acc, x, x)
			l.free(x)
		})},
	{spec: spec{name: "maxScaled", params: params("x", "|", "s", "m"), result: yields("top"), doc: []string{
		"is the maximum of m and the elements times s; NaN elements are passed over.",
		"",
		"\tfor _, v := range x {",
		"\t\tif v*s > m {",
		"\t\t\tm = v * s",
		"\t\t}",
		"\t}",
		"\treturn m"}},
		over: "x", body: func(l *lanes) {
			acc := l.alloc()
			l.broadcast(acc, "m")
			l.loop(func() {
				x := l.alloc()
				if l.tail { // lanes outside repeat the maximum so far
					l.load(x, "x")
					l.scaled(x, "s")
					l.blend(x, acc)
				} else {
					l.load(x, "x")
					l.scaled(x, "s")
				}
				l.max(acc, x)
				l.free(x)
			})
			x := l.fold("MAX", acc, l.alloc())
			l.line("VMOVSS %s, %s", x, l.arg("top"))
		}},
	{spec: spec{name: "expSub", params: params("y", "x", "|", "m"), doc: []string{
		"stores e^(x-m).",
		"",
		"\tfor i, v := range x {",
		"\t\ty[i] = exp(v - m)",
		"\t}"}},
		over: "x", body: elementwise("y", "x", func(l *lanes, x vec) {
			l.minus(x, "m")
			l.exp(x)
		})},
	{spec: spec{name: "expSum", params: params("x", "|", "s", "m"), result: yields("sum"), doc: []string{
		"replaces a row by e^(x s - m) and returns its sum in 16 lanes.",
		"",
		"\tfor i, v := range x {",
		"\t\tx[i] = exp(v*s - m)",
		"\t\tlane[i%16] += x[i]",
		"\t}",
		"\treturn tree(lane)"}},
		over: "x", body: reduction("sum", func(l *lanes, acc vec) {
			x := l.get("x")
			l.scaled(x, "s")
			l.minus(x, "m")
			l.exp(x)
			l.store("x", x)
			l.only(x)
			l.add(acc, acc, x)
			l.free(x)
		})},
	{spec: spec{name: "scaleRow", params: params("x", "|", "f"), doc: []string{
		"multiplies a row by f.",
		"",
		"\tfor i := range x {",
		"\t\tx[i] *= f",
		"\t}"}},
		over: "x", body: elementwise("x", "x", func(l *lanes, x vec) { l.scaled(x, "f") })},
	{spec: spec{name: "scaleTwice", params: params("x", "|", "f", "h"), doc: []string{
		"multiplies a row by f, then by h.",
		"",
		"\tfor i := range x {",
		"\t\tx[i] = (x[i] * f) * h",
		"\t}"}},
		over: "x", body: elementwise("x", "x", func(l *lanes, x vec) {
			l.scaled(x, "f")
			l.scaled(x, "h")
		})},
	{spec: spec{name: "addRow", params: params("y", "a", "b"), doc: []string{
		"stores a + b.",
		"",
		"\tfor i := range y {",
		"\t\ty[i] = a[i] + b[i]",
		"\t}"}},
		over: "y", body: elementwise("y", "a", func(l *lanes, x vec) {
			b := l.get("b")
			l.add(x, x, b)
			l.free(b)
		})},
	{spec: spec{name: "scoreGrad", params: params("row", "dp", "prob", "|", "scale", "norm", "delta"), doc: []string{
		"turns scores into probabilities and score gradients.",
		"",
		"\tfor i, v := range row {",
		"\t\tprob[i] = exp(v*scale - norm)",
		"\t\trow[i] = (prob[i] * (dp[i] - delta)) * scale",
		"\t}"}},
		over: "row", body: func(l *lanes) {
			l.loop(func() {
				x := l.get("row")
				l.scaled(x, "scale")
				l.minus(x, "norm")
				l.exp(x)
				l.store("prob", x)
				d := l.get("dp")
				l.minus(d, "delta")
				l.mul(x, x, d)
				l.scaled(x, "scale")
				l.store("row", x)
				l.free(x, d)
			})
		}},
	{spec: spec{name: "rotate", params: params("ya", "yb", "a", "b", "cos", "sin"), doc: []string{
		"turns pairs by angles.",
		"",
		"\tfor i := range a {",
		"\t\tya[i], yb[i] = fma(-b[i], sin[i], a[i]*cos[i]), fma(a[i], sin[i], b[i]*cos[i])",
		"\t}"}},
		over: "a", body: func(l *lanes) {
			l.loop(func() {
				a, b, c, s := l.get("a"), l.get("b"), l.get("cos"), l.get("sin")
				x := l.alloc()
				l.mul(x, a, c)
				l.fnma(x, b, s)
				l.mul(c, b, c)
				l.fma(c, a, s)
				l.store("ya", x)
				l.store("yb", c)
				l.free(a, b, c, s, x)
			})
		}},
}

// blend puts the lanes of y into x where the mask of the tail is off.
func (l *lanes) blend(x, y vec) {
	if l.zmm {
		l.line("VPBLENDMD %s, %s, K1, %s", l.half(x, 0), l.half(y, 0), l.half(x, 0))
		return
	}
	for h := range 2 {
		l.line("VBLENDVPS %s, %s, %s, %s", l.mask1(h), l.half(x, h), l.half(y, h), l.half(x, h))
	}
}
