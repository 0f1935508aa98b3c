package main

// Packing of bf16 matrices whose k runs down a column: pairs of rows become rows of pairs.

var pairRowsSpec = spec{
	name:   "pairRows",
	params: []param{p("dst", pointer), p("ldd", integer), p("src", half), p("lds", integer), p("m", integer), p("n", integer)},
	doc: []string{
		"packs 2m rows of n elements as m rows of n pairs, the first row in the high halves.",
		"",
		"\tfor i := range m {",
		"\t\tfor j := range n {",
		"\t\t\tdst[i*ldd+j] = pair(src[2*i*lds+j], src[(2*i+1)*lds+j])",
		"\t\t}",
		"\t}",
	},
}

// pairRows goes along a row in steps of 16; the last step is masked.
func pairRows(f *file) {
	e := f.begin(pairRowsSpec, "AVX512")
	e.load("DI", "R8", "SI", "R9", "CX", "DX")
	e.line("SHLQ $2, R8")
	e.line("SHLQ $1, R9")
	e.line("TESTQ CX, CX")
	e.line("JZ done")
	e.line("MOVQ DX, BX")
	e.line("ANDQ $15, BX")
	e.line("NEGQ BX")
	e.line("LEAQ laneMask<>+64(SB), AX")
	e.line("VMOVDQU32 (AX)(BX*4), Z0")
	e.line("VPTESTMD Z0, Z0, K1")
	e.line("SHRQ $4, DX")
	e.label("row")
	e.line("LEAQ (SI)(R9*1), R10")
	e.line("XORQ AX, AX")
	e.line("MOVQ DX, R11")
	e.line("TESTQ R11, R11")
	e.line("JZ tail")
	e.label("unit")
	e.line("VPMOVZXWD (SI)(AX*2), Z0")
	e.line("VPMOVZXWD (R10)(AX*2), Z1")
	e.line("VPSLLD $16, Z0, Z0")
	e.line("VPORD Z1, Z0, Z0")
	e.line("VMOVDQU32 Z0, (DI)(AX*4)")
	e.line("ADDQ $16, AX")
	e.line("DECQ R11")
	e.line("JNZ unit")
	e.label("tail")
	e.line("TESTQ BX, BX")
	e.line("JZ next")
	e.line("VPMOVZXWD.Z (SI)(AX*2), K1, Z0")
	e.line("VPMOVZXWD.Z (R10)(AX*2), K1, Z1")
	e.line("VPSLLD $16, Z0, Z0")
	e.line("VPORD Z1, Z0, Z0")
	e.line("VMOVDQU32 Z0, K1, (DI)(AX*4)")
	e.label("next")
	e.line("LEAQ (SI)(R9*2), SI")
	e.line("ADDQ R8, DI")
	e.line("DECQ CX")
	e.line("JNZ row")
	e.label("done")
	e.end()
}

var pairPanelsSpec = spec{
	name:   "pairPanels",
	params: []param{p("dst", pointer), p("panel", integer), p("src", half), p("lds", integer), p("k", integer), p("panels", integer)},
	doc: []string{
		"packs 2k rows of panels units of 8 elements as k rows of pairs of each panel.",
		"",
		"\tfor t := range k {",
		"\t\tfor q := range panels {",
		"\t\t\tfor i := range 8 {",
		"\t\t\t\tdst[q*panel+8*t+i] = pair(src[2*t*lds+8*q+i], src[(2*t+1)*lds+8*q+i])",
		"\t\t\t}",
		"\t\t}",
		"\t}",
	},
}

func pairPanels(f *file) {
	e := f.begin(pairPanelsSpec, "AVX512")
	e.load("DI", "R8", "SI", "R9", "CX", "DX")
	e.line("SHLQ $2, R8")
	e.line("SHLQ $1, R9")
	e.line("TESTQ CX, CX")
	e.line("JZ done")
	e.line("TESTQ DX, DX")
	e.line("JZ done")
	e.label("row")
	e.line("LEAQ (SI)(R9*1), R10")
	e.line("XORQ AX, AX")
	e.line("MOVQ DI, R12")
	e.line("MOVQ DX, R13")
	e.label("unit")
	e.line("VPMOVZXWD (SI)(AX*1), Y0")
	e.line("VPMOVZXWD (R10)(AX*1), Y1")
	e.line("VPSLLD $16, Y0, Y0")
	e.line("VPOR Y1, Y0, Y0")
	e.line("VMOVDQU Y0, (R12)")
	e.line("ADDQ $16, AX")
	e.line("ADDQ R8, R12")
	e.line("DECQ R13")
	e.line("JNZ unit")
	e.line("LEAQ (SI)(R9*2), SI")
	e.line("ADDQ $32, DI")
	e.line("DECQ CX")
	e.line("JNZ row")
	e.label("done")
	e.end()
}
