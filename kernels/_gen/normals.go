package main

import (
	"fmt"
	"math"
	"strings"
)

// The normal numbers of kernels/cpu/normal.go: the same steps, each rounded once, so that the bits are those of plain Go. No
// multiply-add may be fused here.

var normalSpec = spec{
	name: "normalGroups",
	params: []param{p("x", slice), p("std", double), p("j", integer), p("c1", word), p("c2", word), p("c3", word),
		p("k0", word), p("k1", word)},
	doc: []string{
		"stores normal numbers in whole groups of 16: eight counters of Philox 4×32-10, from j on.",
		"",
		"\tfor i := range x[:len(x)&^15] {",
		"\t\tw := Philox4x32([4]uint32{uint32(j + i/2), c1, c2, c3}, [2]uint32{k0, k1})",
		"\t\tx[i] = float32(std * normal(w)[i%2])",
		"\t}",
	},
}

// doubles writes code for four float64 lanes in Y registers.
type doubles struct {
	*entry
	consts map[string]bool
	tables strings.Builder
}

// num is the address of four equal float64 numbers, raw of four equal 64-bit words.
func (d *doubles) num(x float64) string { return d.raw(math.Float64bits(x)) }

func (d *doubles) raw(bits uint64) string {
	name := fmt.Sprintf("d%016x<>", bits)
	if !d.consts[name] {
		d.consts[name] = true
		for i := range 4 {
			fmt.Fprintf(&d.tables, "DATA %s+%d(SB)/8, $0x%016x\n", name, 8*i, bits)
		}
		fmt.Fprintf(&d.tables, "GLOBL %s(SB), RODATA|NOPTR, $32 // %g\n\n", name, math.Float64frombits(bits))
	}
	return name + "(SB)"
}

// operand is the text of a register number, a float64 or an address.
func (d *doubles) operand(x any) string {
	switch x := x.(type) {
	case int:
		return fmt.Sprintf("Y%d", x)
	case float64:
		return d.num(x)
	case string:
		return x
	}
	panic(fmt.Sprintf("operand %v", x))
}

// op writes dst = a op b.
func (d *doubles) op(name string, dst, a int, b any) {
	d.line("%s %s, Y%d, Y%d", name, d.operand(b), a, dst)
}

func (d *doubles) add(dst, a int, b any) { d.op("VADDPD", dst, a, b) }
func (d *doubles) sub(dst, a int, b any) { d.op("VSUBPD", dst, a, b) }
func (d *doubles) mul(dst, a int, b any) { d.op("VMULPD", dst, a, b) }
func (d *doubles) and(dst, a int, b any) { d.op("VANDPD", dst, a, b) }
func (d *doubles) or(dst, a int, b any)  { d.op("VORPD", dst, a, b) }
func (d *doubles) xor(dst, a int, b any) { d.op("VXORPD", dst, a, b) }
func (d *doubles) set(dst int, x any)    { d.line("VMOVUPD %s, Y%d", d.operand(x), dst) }

// normalGroups keeps the words of eight counters in Y0 … Y3.
func normalGroups(f *file) {
	e := f.begin(normalSpec, "AVX2")
	d := &doubles{entry: e, consts: map[string]bool{}}
	e.line("MOVQ %s, DI", e.arg("x"))
	e.line("MOVQ %s, CX", e.length("x"))
	e.line("MOVQ %s, AX", e.arg("j"))
	e.line("SHRQ $4, CX")
	e.line("JZ done")
	e.label("group")
	philoxLoad(e)
	philoxRounds(e, f.constant(philoxW0), f.constant(philoxW1))
	for h, unpack := range []string{"VPUNPCKLDQ", "VPUNPCKHDQ"} {
		e.line("%s Y0, Y1, Y4", unpack)
		e.line("%s Y2, Y3, Y5", unpack)
		d.unit(4)
		d.unit(5)
		d.logarithm()
		e.line("VMULPD %s, Y4, Y4", d.num(-2))
		e.line("VSQRTPD Y4, Y4")
		d.sincos()
		e.line("VBROADCASTSD %s, Y6", e.arg("std"))
		for _, r := range []int{5, 7} {
			d.mul(r, r, 4)
			d.mul(r, r, 6)
			e.line("VCVTPD2PSY Y%d, X%d", r, r)
		}
		// Pairs 0, 1, 4, 5 in the first half, 2, 3, 6, 7 in the second.
		e.line("VUNPCKLPS X7, X5, X8")
		e.line("VUNPCKHPS X7, X5, X9")
		e.line("VMOVUPS X8, %d(DI)", 16*h)
		e.line("VMOVUPS X9, %d(DI)", 32+16*h)
	}
	e.line("ADDQ $8, AX")
	e.line("ADDQ $64, DI")
	e.line("DECQ CX")
	e.line("JNZ group")
	e.label("done")
	e.end()
	f.tables += d.tables.String()
}

// unit makes a number in (0,1) of two words: 52 bits and half a step.
func (d *doubles) unit(r int) {
	d.line("VPSRLQ $12, Y%d, Y%d", r, r)
	d.or(r, r, d.num(1<<52))
	d.sub(r, r, float64(1<<52))
	d.add(r, r, 0.5)
	d.mul(r, r, 1.0/(1<<52))
}

// logarithm replaces Y4 by its natural logarithm; uses Y6 … Y13.
func (d *doubles) logarithm() {
	const f, k, s, z, w, odd, even, half = 6, 7, 8, 9, 10, 11, 12, 13
	d.and(f, 4, d.raw(1<<52-1))
	d.or(f, f, 0.5)
	d.line("VPSRLQ $52, Y4, Y%d", k)
	d.or(k, k, d.num(1<<52))
	d.sub(k, k, float64(1<<52+0x3fe))
	d.set(s, math.Sqrt2/2)
	d.line("VCMPPD $5, Y%d, Y%d, Y%d", f, s, s) // all ones where not √½ < f
	d.and(z, s, 1.0)
	d.sub(k, k, z)
	d.and(z, s, f)
	d.add(f, f, z)
	d.sub(f, f, 1.0)
	d.add(s, f, 2.0)
	d.line("VDIVPD Y%d, Y%d, Y%d", s, f, s)
	d.mul(z, s, s)
	d.mul(w, z, z)
	d.polynomial(odd, w, 1.479819860511658591e-01, 1.818357216161805012e-01, 2.857142874366239149e-01, 6.666666666666735130e-01)
	d.mul(odd, odd, z)
	d.polynomial(even, w, 1.531383769920937332e-01, 2.222219843214978396e-01, 3.999999999940941908e-01)
	d.mul(even, even, w)
	d.mul(half, f, 0.5)
	d.mul(half, half, f)
	d.add(odd, odd, even)
	d.add(odd, odd, half)
	d.mul(odd, odd, s)
	d.mul(even, k, 1.90821492927058770002e-10)
	d.add(odd, odd, even)
	d.sub(half, half, odd)
	d.sub(half, half, f)
	d.mul(k, k, 6.93147180369123816490e-01)
	d.sub(4, k, half)
}

// sincos replaces a number of turns Y5 by the cosine and sets Y7 to the sine; uses Y6 … Y15.
func (d *doubles) sincos() {
	const x, y, j, r, z, sin, cos, swap = 5, 6, 8, 9, 10, 11, 12, 13
	d.mul(x, x, 2*math.Pi)
	d.mul(y, x, 4/math.Pi)
	d.line("VCVTTPD2DQY Y%d, X%d", y, j)
	d.line("VPADDD %s, X%d, X%d", d.f.constant(1), j, j)
	d.line("VPAND %s, X%d, X%d", d.f.constant(0xfffffffe), j, j)
	d.line("VCVTDQ2PD X%d, Y%d", j, y)
	d.line("VPMOVSXDQ X%d, Y%d", j, j)
	d.set(r, x)
	for _, part := range []float64{7.85398125648498535156e-1, 3.77489470793079817668e-8, 2.69515142907905952645e-15} {
		d.mul(z, y, part)
		d.sub(r, r, z)
	}
	d.mul(z, r, r)
	d.polynomial(sin, z, 1.58962301576546568060e-10, -2.50507477628578072866e-8, 2.75573136213857245213e-6,
		-1.98412698295895385996e-4, 8.33333333332211858878e-3, -1.66666666666666307295e-1)
	d.polynomial(cos, z, -1.13585365213876817300e-11, 2.08757008419747316778e-9, -2.75573141792967388112e-7,
		2.48015872888517045348e-5, -1.38888888888730564116e-3, 4.16666666666665929218e-2)
	d.mul(y, r, z)
	d.mul(sin, sin, y)
	d.add(sin, sin, r)
	d.mul(y, z, z)
	d.mul(cos, cos, y)
	d.mul(z, z, 0.5)
	d.set(y, 1.0)
	d.sub(y, y, z)
	d.add(cos, cos, y)
	// Bit 1 of j is a quarter turn, bit 2 a half turn.
	d.line("VPSLLQ $62, Y%d, Y%d", j, swap)
	d.line("VPSLLQ $61, Y%d, Y%d", j, j)
	d.line("VBLENDVPD Y%d, Y%d, Y%d, Y5", swap, sin, cos)
	d.line("VBLENDVPD Y%d, Y%d, Y%d, Y7", swap, cos, sin)
	d.xor(swap, swap, j)
	d.and(swap, swap, d.raw(1<<63))
	d.and(j, j, d.raw(1<<63))
	d.xor(5, 5, swap)
	d.xor(7, 7, j)
}

// polynomial sets dst by Horner's rule in x, highest coefficient first, with a rounding at every step.
func (d *doubles) polynomial(dst, x int, c ...float64) {
	d.mul(dst, x, c[0])
	for _, a := range c[1 : len(c)-1] {
		d.add(dst, dst, a)
		d.mul(dst, dst, x)
	}
	d.add(dst, dst, c[len(c)-1])
}
