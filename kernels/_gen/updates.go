package main

import "fmt"

// decayed is the scaled gradient plus decay times the weight.
func (l *lanes) decayed() vec {
	d, w, s := l.get("g"), l.get("w"), l.alloc()
	l.scaled(d, "gs")
	l.broadcast(s, "decay")
	l.fma(d, w, s)
	l.free(w, s)
	return d
}

// stepped subtracts lr times d from w.
func (l *lanes) stepped(d vec) {
	w, s := l.get("w"), l.alloc()
	l.broadcast(s, "lr")
	l.fnma(w, d, s)
	l.store("w", w)
	l.free(w, s)
}

// momentum is the body of sgdMomentum; first stores the momentum instead of continuing it.
func momentum(first bool) func(l *lanes) {
	return func(l *lanes) {
		l.loop(func() {
			d, next := l.decayed(), l.alloc()
			if first {
				l.set(next, d)
			} else {
				s := l.get("mom")
				l.broadcast(next, "mu")
				l.op("VFMADD213PS", d, s, next)
				l.free(s)
			}
			l.store("mom", next)
			l.scaled(d, "rest")
			s := l.alloc()
			l.broadcast(s, "ahead")
			l.fma(d, next, s)
			l.free(s, next)
			l.stepped(d)
			l.free(d)
		})
	}
}

var momentumDoc = []string{
	"",
	"\tfor i := range w {",
	"\t\td := fma(decay, w[i], g[i]*gs)",
	"\t\tmom[i] = first ? d : fma(mu, mom[i], d)",
	"\t\tw[i] = fma(-lr, fma(ahead, mom[i], d*rest), w[i])",
	"\t}"}

// updates are the optimizers.
var updates = []row{
	{spec: spec{name: "adamWRow", params: params("w", "g", "m", "v", "|", "keep", "gs", "b1", "n1", "b2", "n2", "step", "root", "eps"), doc: []string{
		"is the AdamW update.",
		"",
		"\tfor i := range w {",
		"\t\td := g[i] * gs",
		"\t\tm[i] = fma(n1, d, b1*m[i])",
		"\t\tv[i] = fma(n2, d*d, b2*v[i])",
		"\t\tw[i] = fma(-step, m[i]/(sqrt(v[i])/root+eps), w[i]*keep)",
		"\t}"}},
		over: "w", body: func(l *lanes) {
			l.loop(func() {
				d, m, v, s := l.get("g"), l.get("m"), l.get("v"), l.alloc()
				l.scaled(d, "gs")
				l.scaled(m, "b1")
				l.broadcast(s, "n1")
				l.fma(m, d, s)
				l.store("m", m)
				l.scaled(v, "b2")
				l.mul(d, d, d)
				l.broadcast(s, "n2")
				l.fma(v, d, s)
				l.store("v", v)
				l.sqrt(v, v)
				l.broadcast(s, "root")
				l.div(v, v, s)
				l.broadcast(s, "eps")
				l.add(v, v, s)
				l.div(m, m, v)
				l.load(d, "w")
				l.scaled(d, "keep")
				l.broadcast(s, "step")
				l.fnma(d, m, s)
				l.store("w", d)
				l.free(d, m, v, s)
			})
		}},
	{spec: spec{name: "sgdPlain", params: params("w", "g", "|", "lr", "decay", "gs"), doc: []string{
		"is the SGD update without momentum.",
		"",
		"\tfor i := range w {",
		"\t\tw[i] = fma(-lr, fma(decay, w[i], g[i]*gs), w[i])",
		"\t}"}},
		over: "w", body: func(l *lanes) {
			l.loop(func() {
				d := l.decayed()
				l.stepped(d)
				l.free(d)
			})
		}},
	{spec: spec{name: "sgdFirst", params: params("w", "g", "mom", "|", "lr", "decay", "gs", "ahead", "rest"),
		doc: append([]string{"is the first SGD update with momentum; first is true."}, momentumDoc...)},
		over: "w", body: momentum(true)},
	{spec: spec{name: "sgdMomentum", params: params("w", "g", "mom", "|", "lr", "decay", "gs", "ahead", "rest", "mu"),
		doc: append([]string{"is a later SGD update with momentum; first is false."}, momentumDoc...)},
		over: "w", body: momentum(false)},
}

// squaresRow is the sum of squares in float64: 16 lanes, a row of vectors of 8 or 4.
var squaresRow = row{spec: spec{name: "squares", params: params("x"), result: &param{name: "s", kind: double}, doc: []string{
	"is the sum of squares in float64, in 16 lanes; the products are exact.",
	"",
	"\tfor i, v := range x {",
	"\t\tlane[i%16] += float64(v) * float64(v)",
	"\t}",
	"\treturn tree(lane)"}},
	over: "x", body: func(l *lanes) {
		n := 2 * l.halves() // registers of lanes: 2 of 8, or 4 of 4
		reg := func(i int) string {
			if l.zmm {
				return fmt.Sprintf("Z%d", i)
			}
			return fmt.Sprintf("Y%d", i)
		}
		for i := range n {
			l.line("VXORPS Y%d, Y%d, Y%d", i, i, i)
		}
		x := vec(2) // Z2, or Y4 and Y5
		l.loop(func() {
			l.load(x, "x")
			if l.zmm {
				l.line("VEXTRACTF64X4 $1, Z2, Y4")
				l.line("VCVTPS2PD Y2, Z3")
				l.line("VCVTPS2PD Y4, Z4")
			} else {
				l.line("VEXTRACTF128 $1, Y4, X7")
				l.line("VEXTRACTF128 $1, Y5, X9")
				l.line("VCVTPS2PD X4, Y6")
				l.line("VCVTPS2PD X7, Y7")
				l.line("VCVTPS2PD X5, Y8")
				l.line("VCVTPS2PD X9, Y9")
			}
			for i := range n {
				y := reg(3 + i)
				if !l.zmm {
					y = reg(6 + i)
				}
				l.line("VFMADD231PD %s, %s, %s", y, y, reg(i))
			}
		})
		if l.zmm {
			l.line("VADDPD Z1, Z0, Z0")
			l.line("VEXTRACTF64X4 $1, Z0, Y1")
		} else {
			l.line("VADDPD Y2, Y0, Y0")
			l.line("VADDPD Y3, Y1, Y1")
		}
		l.line("VADDPD Y1, Y0, Y0")
		l.line("VEXTRACTF128 $1, Y0, X1")
		l.line("VADDPD X1, X0, X0")
		l.line("VPERMILPD $1, X0, X1")
		l.line("VADDSD X1, X0, X0")
		l.line("VMOVSD X0, %s", l.arg("s"))
	}}
