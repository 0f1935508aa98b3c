package main

import "fmt"

// element is how the source of a packing kernel is stored; what is packed is float32, or pairs of bf16.
type element struct {
	suffix  string // of the kernel's name
	pointer kind
	bytes   int                             // of an element
	widened string                          // the conversion in the kernel's meaning, "" for none
	load    func(e *entry, mem, reg string) // loads as many elements as reg has lanes, widened
	one     func(e *entry, mem string)      // loads one element, widened, into X0
}

var elements = []element{
	{"", pointer, 4, "", func(e *entry, mem, reg string) { e.line("VMOVUPS %s, %s", mem, reg) }, nil},
	{"BF16", half, 2, "widened", func(e *entry, mem, reg string) {
		e.line("VPMOVZXWD %s, %s", mem, reg)
		e.line("VPSLLD $16, %s, %s", reg, reg)
	}, func(e *entry, mem string) {
		e.line("MOVWLZX %s, R11", mem)
		e.line("SHLL $16, R11")
		e.line("VMOVD R11, X0")
	}},
	{"F16", half, 2, "fromF16", func(e *entry, mem, reg string) { e.line("VCVTPH2PS %s, %s", mem, reg) }, func(e *entry, mem string) {
		e.line("MOVWLZX %s, R11", mem)
		e.line("VMOVD R11, X0")
		e.line("VCVTPH2PS X0, X0")
	}},
}

// pairs are two bf16 that follow each other, of which the first becomes the high half of a word. Needs AVX-512VL.
var pairs = element{suffix: "Pairs", pointer: half, bytes: 4, load: func(e *entry, mem, reg string) { e.line("VPROLD $16, %s, %s", mem, reg) }}

// shift is the logarithm of what a stride counts.
func (w element) shift() int {
	if w.pointer == half {
		return 1
	}
	return 2
}

// value writes that an element is converted.
func (w element) value(x string) string {
	if w.widened == "" {
		return x
	}
	return w.widened + "(" + x + ")"
}

// transposeSpec and the other specs of packing are functions of how the source is stored.
func transposeSpec(w element) spec {
	return spec{
		name:   "transpose" + w.suffix,
		params: []param{p("dst", pointer), p("ldd", integer), p("src", w.pointer), p("lds", integer), p("m", integer), p("n", integer)},
		doc: []string{
			"stores columns as rows, for 1 <= m <= 8 rows of n >= 8 elements; the lanes m … 7 of dst repeat row m-1.",
			"",
			"\tfor j := range n {",
			"\t\tfor i := range 8 {",
			"\t\t\tdst[j*ldd+i] = " + w.transposed(),
			"\t\t}",
			"\t}",
		},
	}
}

// transposed is the element of a transposition.
func (w element) transposed() string {
	if w.suffix == pairs.suffix {
		return "pair(src[min(i, m-1)*lds+2*j], src[min(i, m-1)*lds+2*j+1]) // the first in the high half"
	}
	return w.value("src[min(i, m-1)*lds+j]")
}

// transpose goes over blocks of 8 by 8; the last block overlaps the one before.
func transpose(f *file, w element) {
	e := f.begin(transposeSpec(w), "AVX2")
	rows := []string{"SI", "R8", "R9", "R10", "R11", "R12", "R13", "R15"}
	e.load("DI", "DX", "SI", "AX", "BX", "CX")
	e.line("SHLQ $2, DX")
	e.line("SHLQ $%d, AX", w.shift())
	for i := 1; i < 8; i++ {
		e.line("MOVQ %s, %s", rows[i-1], rows[i])
		e.line("CMPQ BX, $%d", i)
		e.line("JLE rows%d", i)
		e.line("ADDQ AX, %s", rows[i])
		e.label(fmt.Sprintf("rows%d", i))
	}
	e.line("XORQ AX, AX")
	e.line("SUBQ $8, CX")
	e.label("block")
	for q := range 2 {
		for i := range 4 {
			at := func(row string) string { return fmt.Sprintf("%d(%s)(AX*%d)", 4*w.bytes*q, row, w.bytes) }
			w.load(e, at(rows[i]), fmt.Sprintf("X%d", 4*q+i))
			high := at(rows[i+4])
			if w.suffix != "" {
				w.load(e, high, "X15")
				high = "X15"
			}
			e.line("VINSERTF128 $1, %s, Y%d, Y%d", high, 4*q+i, 4*q+i)
		}
	}
	e.line("LEAQ (DX)(DX*2), BX")
	for q := range 2 {
		a, t := 4*q, 8+4*q
		e.line("VUNPCKLPS Y%d, Y%d, Y%d", a+1, a, t)
		e.line("VUNPCKHPS Y%d, Y%d, Y%d", a+1, a, t+1)
		e.line("VUNPCKLPS Y%d, Y%d, Y%d", a+3, a+2, t+2)
		e.line("VUNPCKHPS Y%d, Y%d, Y%d", a+3, a+2, t+3)
		e.line("VUNPCKLPD Y%d, Y%d, Y%d", t+2, t, a)
		e.line("VUNPCKHPD Y%d, Y%d, Y%d", t+2, t, a+1)
		e.line("VUNPCKLPD Y%d, Y%d, Y%d", t+3, t+1, a+2)
		e.line("VUNPCKHPD Y%d, Y%d, Y%d", t+3, t+1, a+3)
		e.line("VMOVUPS Y%d, (DI)", a)
		e.line("VMOVUPS Y%d, (DI)(DX*1)", a+1)
		e.line("VMOVUPS Y%d, (DI)(DX*2)", a+2)
		e.line("VMOVUPS Y%d, (DI)(BX*1)", a+3)
		e.line("LEAQ (DI)(DX*4), DI")
	}
	e.line("CMPQ AX, CX")
	e.line("JGE done")
	e.line("ADDQ $8, AX")
	e.line("CMPQ AX, CX")
	e.line("JLE block")
	// Step back so that the last block ends at n.
	e.line("SUBQ CX, AX")
	e.line("IMULQ DX, AX")
	e.line("SUBQ AX, DI")
	e.line("MOVQ CX, AX")
	e.line("JMP block")
	e.label("done")
	e.end()
}

func copyRowsSpec(w element) spec {
	return spec{
		name:   "copyRows" + w.suffix,
		params: []param{p("dst", pointer), p("ldd", integer), p("src", w.pointer), p("lds", integer), p("m", integer), p("n", integer)},
		doc: []string{
			"copies m rows of n elements; dst is written in units of 8, the elements beyond n as 0.",
			"",
			"\tfor i := range m {",
			"\t\tfor j := range (n + 7) &^ 7 {",
			"\t\t\tdst[i*ldd+j] = j < n ? " + w.value("src[i*lds+j]") + " : 0",
			"\t\t}",
			"\t}",
		},
	}
}

// copyRows counts in AX the bytes of a row of the source.
func copyRows(f *file, w element) {
	e := f.begin(copyRowsSpec(w), "AVX2")
	e.load("DI", "R8", "SI", "R9", "CX", "DX")
	to := fmt.Sprintf("(DI)(AX*%d)", 4/w.bytes)
	e.line("SHLQ $2, R8")
	e.line("SHLQ $%d, R9", w.shift())
	e.line("TESTQ CX, CX")
	e.line("JZ done")
	e.line("MOVQ DX, BX")
	e.line("ANDQ $7, BX")
	if w.one == nil {
		e.line("NEGQ BX")
		e.line("LEAQ laneMask<>+64(SB), AX")
		e.line("VMOVUPS (AX)(BX*4), Y1")
	}
	e.line("SHRQ $3, DX")
	e.label("row")
	e.line("XORQ AX, AX")
	e.line("MOVQ DX, R10")
	e.line("TESTQ R10, R10")
	e.line("JZ tail")
	e.label("unit")
	w.load(e, "(SI)(AX*1)", "Y0")
	e.line("VMOVUPS Y0, %s", to)
	e.line("ADDQ $%d, AX", 8*w.bytes)
	e.line("DECQ R10")
	e.line("JNZ unit")
	e.label("tail")
	e.line("TESTQ BX, BX")
	e.line("JZ next")
	if w.one == nil {
		e.line("VMASKMOVPS (SI)(AX*1), Y1, Y0")
		e.line("VMOVUPS Y0, %s", to)
	} else {
		e.line("VXORPS Y1, Y1, Y1")
		e.line("VMOVUPS Y1, %s", to)
		e.line("MOVQ BX, R10")
		e.label("one")
		w.one(e, "(SI)(AX*1)")
		e.line("VMOVSS X0, %s", to)
		e.line("ADDQ $%d, AX", w.bytes)
		e.line("DECQ R10")
		e.line("JNZ one")
	}
	e.label("next")
	e.line("ADDQ R9, SI")
	e.line("ADDQ R8, DI")
	e.line("DECQ CX")
	e.line("JNZ row")
	e.label("done")
	e.end()
}

func copyPanelsSpec(w element) spec {
	return spec{
		name:   "copyPanels" + w.suffix,
		params: []param{p("dst", pointer), p("panel", integer), p("src", w.pointer), p("lds", integer), p("k", integer), p("panels", integer), p("step", integer)},
		doc: []string{
			"copies k rows of panels units of 8 elements, which overlap when step is less than 8.",
			"",
			"\tfor t := range k {",
			"\t\tfor q := range panels {",
			"\t\t\tfor i := range 8 {",
			"\t\t\t\tdst[q*panel+8*t+i] = " + w.value("src[t*lds+q*step+i]"),
			"\t\t\t}",
			"\t\t}",
			"\t}",
		},
	}
}

func copyPanels(f *file, w element) {
	e := f.begin(copyPanelsSpec(w), "AVX2")
	e.load("DI", "R8", "SI", "R9", "CX", "DX", "R10")
	e.line("SHLQ $2, R8")
	for _, r := range []string{"R9", "R10"} {
		e.line("SHLQ $%d, %s", w.shift(), r)
	}
	e.line("TESTQ CX, CX")
	e.line("JZ done")
	e.line("TESTQ DX, DX")
	e.line("JZ done")
	e.label("row")
	e.line("MOVQ SI, R11")
	e.line("MOVQ DI, R12")
	e.line("MOVQ DX, R13")
	e.label("unit")
	w.load(e, "(R11)", "Y0")
	e.line("VMOVUPS Y0, (R12)")
	e.line("ADDQ R10, R11")
	e.line("ADDQ R8, R12")
	e.line("DECQ R13")
	e.line("JNZ unit")
	e.line("ADDQ R9, SI")
	e.line("ADDQ $32, DI")
	e.line("DECQ CX")
	e.line("JNZ row")
	e.label("done")
	e.end()
}
