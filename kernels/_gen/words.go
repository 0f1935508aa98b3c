package main

import "fmt"

// Kernels on integers and 16-bit floats. One version with Y registers serves both vector tiers: nothing in them depends on
// the tier but speed.

var dropSpec = spec{
	name: "dropGroups",
	params: []param{p("y", slice), p("x", slice), p("first", integer), p("c1", word), p("c2", word), p("c3", word),
		p("k0", word), p("k1", word), p("last", word), p("scale", single)},
	doc: []string{
		"is dropout of whole groups of 32 elements: eight counters of Philox 4×32-10, from first on.",
		"",
		"\tfor i, v := range x {",
		"\t\tw := Philox4x32([4]uint32{uint32(first + i/4), c1, c2, c3}, [2]uint32{k0, k1})[i%4]",
		"\t\ty[i] = int32(last-w>>8) < 0 ? v*scale : 0",
		"\t}",
	},
}

// Constants of Philox.
const (
	philoxM0 = constant(0xD2511F53)
	philoxM1 = constant(0xCD9E8D57)
	philoxW0 = constant(0x9E3779B9)
	philoxW1 = constant(0xBB67AE85)
)

// dropGroups keeps the counters in Y0 … Y3, lane j the one of quad first+j, and the keys in Y6 and Y7.
func dropGroups(f *file) {
	e := f.begin(dropSpec, "AVX2")
	e.line("MOVQ %s, DI", e.arg("y"))
	e.line("MOVQ %s, SI", e.arg("x"))
	e.line("MOVQ %s, CX", e.length("x"))
	e.line("MOVQ %s, AX", e.arg("first"))
	e.line("VMOVDQU %s, Y8", f.constant(philoxW0))
	e.line("VMOVDQU %s, Y9", f.constant(philoxW1))
	e.line("SHRQ $5, CX")
	e.line("JZ done")
	e.label("group")
	philoxLoad(e)
	philoxRounds(e, "Y8", "Y9")
	// Words of one counter together, then counters in order.
	e.line("VPUNPCKLDQ Y1, Y0, Y10")
	e.line("VPUNPCKHDQ Y1, Y0, Y11")
	e.line("VPUNPCKLDQ Y3, Y2, Y12")
	e.line("VPUNPCKHDQ Y3, Y2, Y13")
	e.line("VPUNPCKLQDQ Y12, Y10, Y0")
	e.line("VPUNPCKHQDQ Y12, Y10, Y1")
	e.line("VPUNPCKLQDQ Y13, Y11, Y2")
	e.line("VPUNPCKHQDQ Y13, Y11, Y3")
	e.line("VBROADCASTSS %s, Y6", e.arg("last"))
	e.line("VBROADCASTSS %s, Y7", e.arg("scale"))
	for i, from := range []struct{ a, b, half int }{{0, 1, 0x20}, {2, 3, 0x20}, {0, 1, 0x31}, {2, 3, 0x31}} {
		e.line("VPERM2I128 $%d, Y%d, Y%d, Y10", from.half, from.b, from.a)
		e.line("VPSRLD $8, Y10, Y10")
		e.line("VPSUBD Y10, Y6, Y10")
		e.line("VPSRAD $31, Y10, Y10")
		e.line("VMULPS %d(SI), Y7, Y11", 32*i)
		e.line("VPAND Y10, Y11, Y11")
		e.line("VMOVUPS Y11, %d(DI)", 32*i)
	}
	e.line("ADDQ $8, AX")
	e.line("ADDQ $128, SI")
	e.line("ADDQ $128, DI")
	e.line("DECQ CX")
	e.line("JNZ group")
	e.label("done")
	e.end()
}

// philoxLoad fills Y0 … Y3 with the counters of eight quads from AX on, Y6 and Y7 with the keys, and Y4 and Y5 with the
// multipliers.
func philoxLoad(e *entry) {
	e.line("VMOVD AX, X0")
	e.line("VPBROADCASTD X0, Y0")
	e.line("VPADDD iota<>(SB), Y0, Y0")
	for i, name := range []string{"c1", "c2", "c3"} {
		e.line("VBROADCASTSS %s, Y%d", e.arg(name), i+1)
	}
	e.line("VMOVDQU %s, Y4", e.f.constant(philoxM0))
	e.line("VMOVDQU %s, Y5", e.f.constant(philoxM1))
	e.line("VBROADCASTSS %s, Y6", e.arg("k0"))
	e.line("VBROADCASTSS %s, Y7", e.arg("k1"))
}

// philoxRounds is the ten rounds; w0 and w1 hold what the keys grow by.
func philoxRounds(e *entry, w0, w1 string) {
	for i := range 10 {
		philoxRound(e)
		if i < 9 {
			e.line("VPADDD %s, Y6, Y6", w0)
			e.line("VPADDD %s, Y7, Y7", w1)
		}
	}
}

// philoxRound is one round: the 64-bit products of c0 and c2, made for even and odd lanes apart.
func philoxRound(e *entry) {
	product := func(c, m, lo, hi int) { // uses Y14 and Y15
		e.line("VPSRLQ $32, Y%d, Y14", c)
		e.line("VPMULUDQ Y%d, Y%d, Y15", m, c)
		e.line("VPMULUDQ Y%d, Y14, Y14", m)
		e.line("VPSLLQ $32, Y14, Y%d", lo)
		e.line("VPBLENDD $0xAA, Y%d, Y15, Y%d", lo, lo)
		e.line("VPSRLQ $32, Y15, Y15")
		e.line("VPBLENDD $0xAA, Y14, Y15, Y%d", hi)
	}
	product(0, 4, 10, 11)
	product(2, 5, 12, 13)
	e.line("VPXOR Y13, Y1, Y0")
	e.line("VPXOR Y6, Y0, Y0")
	e.line("VMOVDQA Y12, Y1")
	e.line("VPXOR Y11, Y3, Y2")
	e.line("VPXOR Y7, Y2, Y2")
	e.line("VMOVDQA Y10, Y3")
}

// iota is the table 0 … 7.
func iotaTable() string {
	s := ""
	for i := range 8 {
		s += fmt.Sprintf("DATA iota<>+%d(SB)/4, $%d\n", 4*i, i)
	}
	return s + "GLOBL iota<>(SB), RODATA|NOPTR, $32\n\n"
}

// conversions are the casts between float32 and 16-bit floats of whole groups of 16 elements.
var conversions = []struct {
	spec spec
	body func(e *entry, h int) // one half of a group; h is 0 or 1
	end  func(e *entry)
}{
	{spec{name: "widenBF16", params: []param{p("dst", slice), p("src", halves)}, doc: castDoc("bfloat16 to float32", "widened")},
		func(e *entry, h int) {
			e.line("VPMOVZXWD %d(SI), Y0", 16*h)
			e.line("VPSLLD $16, Y0, Y0")
			e.line("VMOVUPS Y0, %d(DI)", 32*h)
		}, func(e *entry) {}},
	{spec{name: "narrowBF16", params: []param{p("dst", halves), p("src", slice)}, doc: castDoc("float32 to bfloat16, to nearest even; NaN stays", "toBF16")},
		func(e *entry, h int) {
			e.line("VMOVUPS %d(SI), Y2", 32*h)
			e.line("VPSRLD $16, Y2, Y3")
			e.line("VPAND %s, Y3, Y4", e.f.constant(1))
			e.line("VPADDD %s, Y4, Y4", e.f.constant(0x7fff))
			e.line("VPADDD Y2, Y4, Y4")
			e.line("VPSRLD $16, Y4, Y4")
			e.line("VPOR %s, Y3, Y3", e.f.constant(0x40))
			e.line("VCMPPS $3, Y2, Y2, Y2")
			e.line("VPBLENDVB Y2, Y3, Y4, Y%d", h)
		}, func(e *entry) {
			e.line("VPACKUSDW Y1, Y0, Y0")
			e.line("VPERMQ $0xD8, Y0, Y0")
			e.line("VMOVDQU Y0, (DI)")
		}},
	{spec{name: "widenF16", params: []param{p("dst", slice), p("src", halves)}, doc: castDoc("IEEE half precision to float32", "fromF16")},
		func(e *entry, h int) {
			e.line("VCVTPH2PS %d(SI), Y0", 16*h)
			e.line("VMOVUPS Y0, %d(DI)", 32*h)
		}, func(e *entry) {}},
	{spec{name: "narrowF16", params: []param{p("dst", halves), p("src", slice)}, doc: castDoc("float32 to IEEE half precision, to nearest even", "toF16")},
		func(e *entry, h int) {
			e.line("VMOVUPS %d(SI), Y0", 32*h)
			e.line("VCVTPS2PH $0, Y0, %d(DI)", 16*h)
		}, func(e *entry) {}},
}

func castDoc(what, f string) []string {
	return []string{"casts whole groups of 16 elements, " + what + ".",
		"", "\tfor i, v := range src[:len(src)&^15] {", "\t\tdst[i] = " + f + "(v)", "\t}"}
}

func casts(f *file) {
	for _, c := range conversions {
		e := f.begin(c.spec, "AVX2")
		e.line("MOVQ %s, DI", e.arg("dst"))
		e.line("MOVQ %s, SI", e.arg("src"))
		e.line("MOVQ %s, CX", e.length("src"))
		e.line("SHRQ $4, CX")
		e.line("JZ done")
		e.label("group")
		c.body(e, 0)
		c.body(e, 1)
		c.end(e)
		from, to := 64, 32
		if c.spec.params[1].kind == halves {
			from, to = 32, 64
		}
		e.line("ADDQ $%d, SI", from)
		e.line("ADDQ $%d, DI", to)
		e.line("DECQ CX")
		e.line("JNZ group")
		e.label("done")
		e.end()
	}
}
