package main

// normalised replaces x by (x - m) s.
func (l *lanes) normalised(x vec) {
	l.minus(x, "m")
	l.scaled(x, "s")
}

// norms are the rows of LayerNorm and RMSNorm (m = 0) and of their gradients.
var norms = []row{
	{spec: spec{name: "normRowBias", params: params("y", "x", "w", "b", "|", "m", "s"), doc: []string{
		"is a normalised row.",
		"",
		"\tfor i, v := range x {",
		"\t\ty[i] = fma((v-m)*s, w[i], b[i])",
		"\t}"}},
		over: "x", body: elementwise("y", "x", func(l *lanes, x vec) {
			l.normalised(x)
			w, b := l.get("w"), l.get("b")
			l.fma(b, x, w)
			l.set(x, b)
			l.free(w, b)
		})},
	{spec: spec{name: "normRowPlain", params: params("y", "x", "w", "|", "m", "s"), doc: []string{
		"is a normalised row without bias.",
		"",
		"\tfor i, v := range x {",
		"\t\ty[i] = ((v - m) * s) * w[i]",
		"\t}"}},
		over: "x", body: elementwise("y", "x", func(l *lanes, x vec) {
			l.normalised(x)
			l.by(x, "w")
		})},
	{spec: spec{name: "normGradSums", params: params("sums", "dy", "x", "w", "|", "m", "s"), doc: []string{
		"stores the two sums of a row's gradient, in 16 lanes each.",
		"",
		"\tfor i, v := range x {",
		"\t\td := dy[i] * w[i]",
		"\t\tlane[i%16] += d",
		"\t\tother[i%16] = fma(d, (v-m)*s, other[i%16])",
		"\t}",
		"\tsums[0], sums[1] = tree(lane), tree(other)"}},
		over: "x", body: func(l *lanes) {
			sum, dot := l.alloc(), l.alloc()
			l.zero(sum)
			l.zero(dot)
			l.loop(func() {
				d, x := l.get("dy"), l.get("x")
				l.by(d, "w")
				l.normalised(x)
				l.only(x)
				l.add(sum, sum, d)
				l.fma(dot, d, x)
				l.free(d, x)
			})
			t := l.alloc()
			l.line("VMOVSS %s, (%s)", l.fold("ADD", sum, t), l.base["sums"])
			l.line("VMOVSS %s, 4(%s)", l.fold("ADD", dot, t), l.base["sums"])
		}},
	{spec: spec{name: "normGradApply", params: params("dx", "dy", "x", "w", "|", "m", "s", "a", "b"), doc: []string{
		"is the gradient of a normalised row from the means a and b of its sums.",
		"",
		"\tfor i, v := range x {",
		"\t\tdx[i] = s * fma(-(v-m)*s, b, dy[i]*w[i]-a)",
		"\t}"}},
		over: "x", body: func(l *lanes) {
			l.loop(func() {
				d, x := l.get("dy"), l.get("x")
				l.by(d, "w")
				l.minus(d, "a")
				l.normalised(x)
				b := l.alloc()
				l.broadcast(b, "b")
				l.fnma(d, x, b)
				l.scaled(d, "s")
				l.store("dx", d)
				l.free(d, x, b)
			})
		}},
	{spec: spec{name: "normGradWeight", params: params("dw", "dy", "x", "|", "m", "s"), doc: []string{
		"continues the weight gradients by one row.",
		"",
		"\tfor i, v := range x {",
		"\t\tdw[i] = fma(dy[i], (v-m)*s, dw[i])",
		"\t}"}},
		over: "x", body: func(l *lanes) {
			l.loop(func() {
				x, d, w := l.get("x"), l.get("dy"), l.get("dw")
				l.normalised(x)
				l.fma(w, d, x)
				l.store("dw", w)
				l.free(x, d, w)
			})
		}},
}
