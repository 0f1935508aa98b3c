package main

import "fmt"

var transposeSpec = spec{
	name:   "transpose",
	params: []param{p("dst", pointer), p("ldd", integer), p("src", pointer), p("lds", integer), p("m", integer), p("n", integer)},
	doc: []string{
		"stores columns as rows, for 1 <= m <= 8 rows of n >= 8 elements; the lanes m … 7 of dst repeat row m-1.",
		"",
		"\tfor j := range n {",
		"\t\tfor i := range 8 {",
		"\t\t\tdst[j*ldd+i] = src[min(i, m-1)*lds+j]",
		"\t\t}",
		"\t}",
	},
}

// transpose goes over blocks of 8 by 8; the last block overlaps the one before.
func transpose(f *file) {
	e := f.begin(transposeSpec, "AVX2")
	rows := []string{"SI", "R8", "R9", "R10", "R11", "R12", "R13", "R15"}
	e.line("MOVQ %s, DI", e.arg("dst"))
	e.line("MOVQ %s, DX", e.arg("ldd"))
	e.line("MOVQ %s, SI", e.arg("src"))
	e.line("MOVQ %s, AX", e.arg("lds"))
	e.line("MOVQ %s, BX", e.arg("m"))
	e.line("MOVQ %s, CX", e.arg("n"))
	e.line("SHLQ $2, DX")
	e.line("SHLQ $2, AX")
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
			e.line("VMOVUPS %d(%s)(AX*4), X%d", 16*q, rows[i], 4*q+i)
			e.line("VINSERTF128 $1, %d(%s)(AX*4), Y%d, Y%d", 16*q, rows[i+4], 4*q+i, 4*q+i)
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

var copyRowsSpec = spec{
	name:   "copyRows",
	params: []param{p("dst", pointer), p("ldd", integer), p("src", pointer), p("lds", integer), p("m", integer), p("n", integer)},
	doc: []string{
		"copies m rows of n elements; dst is written in units of 8, the elements beyond n as 0.",
		"",
		"\tfor i := range m {",
		"\t\tfor j := range (n + 7) &^ 7 {",
		"\t\t\tdst[i*ldd+j] = j < n ? src[i*lds+j] : 0",
		"\t\t}",
		"\t}",
	},
}

func copyRows(f *file) {
	e := f.begin(copyRowsSpec, "AVX2")
	e.line("MOVQ %s, DI", e.arg("dst"))
	e.line("MOVQ %s, R8", e.arg("ldd"))
	e.line("MOVQ %s, SI", e.arg("src"))
	e.line("MOVQ %s, R9", e.arg("lds"))
	e.line("MOVQ %s, CX", e.arg("m"))
	e.line("MOVQ %s, DX", e.arg("n"))
	e.line("SHLQ $2, R8")
	e.line("SHLQ $2, R9")
	e.line("TESTQ CX, CX")
	e.line("JZ done")
	e.line("MOVQ DX, BX")
	e.line("ANDQ $7, BX")
	e.line("NEGQ BX")
	e.line("LEAQ laneMask<>+64(SB), AX")
	e.line("VMOVUPS (AX)(BX*4), Y1")
	e.line("SHRQ $3, DX")
	e.label("row")
	e.line("XORQ AX, AX")
	e.line("MOVQ DX, R10")
	e.line("TESTQ R10, R10")
	e.line("JZ tail")
	e.label("unit")
	e.line("VMOVUPS (SI)(AX*1), Y0")
	e.line("VMOVUPS Y0, (DI)(AX*1)")
	e.line("ADDQ $32, AX")
	e.line("DECQ R10")
	e.line("JNZ unit")
	e.label("tail")
	e.line("TESTQ BX, BX")
	e.line("JZ next")
	e.line("VMASKMOVPS (SI)(AX*1), Y1, Y0")
	e.line("VMOVUPS Y0, (DI)(AX*1)")
	e.label("next")
	e.line("ADDQ R9, SI")
	e.line("ADDQ R8, DI")
	e.line("DECQ CX")
	e.line("JNZ row")
	e.label("done")
	e.end()
}

var copyPanelsSpec = spec{
	name:   "copyPanels",
	params: []param{p("dst", pointer), p("panel", integer), p("src", pointer), p("lds", integer), p("k", integer), p("panels", integer), p("step", integer)},
	doc: []string{
		"copies k rows of panels units of 8 elements, which overlap when step is less than 8.",
		"",
		"\tfor t := range k {",
		"\t\tfor q := range panels {",
		"\t\t\tcopy(dst[q*panel+8*t:][:8], src[t*lds+q*step:])",
		"\t\t}",
		"\t}",
	},
}

func copyPanels(f *file) {
	e := f.begin(copyPanelsSpec, "AVX2")
	e.line("MOVQ %s, DI", e.arg("dst"))
	e.line("MOVQ %s, R8", e.arg("panel"))
	e.line("MOVQ %s, SI", e.arg("src"))
	e.line("MOVQ %s, R9", e.arg("lds"))
	e.line("MOVQ %s, CX", e.arg("k"))
	e.line("MOVQ %s, DX", e.arg("panels"))
	e.line("MOVQ %s, R10", e.arg("step"))
	for _, r := range []string{"R8", "R9", "R10"} {
		e.line("SHLQ $2, %s", r)
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
	e.line("VMOVUPS (R11), Y0")
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

var fmaLoopSpec = spec{
	name:   "fmaLoop",
	params: []param{p("n", integer)},
	doc: []string{
		"executes 12 n independent fused multiply-adds on registers: the peak that products are held against.",
		"",
		"\tfor range n {",
		"\t\tfor j := range 12 {",
		"\t\t\tz[j] = fma(x, y, z[j]) // vectors of all lanes",
		"\t\t}",
		"\t}",
	},
}

func fmaLoop(f *file, s shape) {
	e := f.begin(fmaLoopSpec, s.suffix)
	e.line("MOVQ %s, CX", e.arg("n"))
	for i := range 14 {
		e.line("VXORPS Y%d, Y%d, Y%d", i, i, i)
	}
	e.line("TESTQ CX, CX")
	e.line("JZ done")
	e.label("loop")
	for i := range 12 {
		e.line("VFMADD231PS %s, %s, %s", s.reg(12), s.reg(13), s.reg(i))
	}
	e.line("DECQ CX")
	e.line("JNZ loop")
	e.label("done")
	e.end()
}

var mxcsrSpec = []spec{
	{name: "getMXCSR", result: &param{name: "v", kind: word}, doc: []string{"reads the floating-point control register of the thread."}},
	{name: "setMXCSR", params: []param{p("v", word)}, doc: []string{"writes the floating-point control register of the thread."}},
}

func mxcsr(f *file) {
	e := f.begin(mxcsrSpec[0], "")
	e.line("STMXCSR %s", e.arg("v"))
	e.line("RET")
	f.asm.WriteByte('\n')
	e = f.begin(mxcsrSpec[1], "")
	e.line("LDMXCSR %s", e.arg("v"))
	e.line("RET")
	f.asm.WriteByte('\n')
}

var prefetchSpec = spec{
	name:   "prefetch",
	params: []param{p("src", pointer), p("lds", integer), p("m", integer), p("n", integer)},
	doc: []string{
		"asks for m rows of n elements to be brought into the second-level cache; addresses need not exist.",
		"",
		"\tfor i := range m {",
		"\t\tfor j := 0; j < n; j += 16 {",
		"\t\t\t_ = src[i*lds+j]",
		"\t\t}",
		"\t}",
	},
}

func prefetch(f *file) {
	e := f.begin(prefetchSpec, "AVX2")
	e.line("MOVQ %s, SI", e.arg("src"))
	e.line("MOVQ %s, R8", e.arg("lds"))
	e.line("MOVQ %s, CX", e.arg("m"))
	e.line("MOVQ %s, DX", e.arg("n"))
	e.line("SHLQ $2, R8")
	e.line("TESTQ CX, CX")
	e.line("JLE done")
	e.label("row")
	e.line("MOVQ SI, R9")
	e.line("MOVQ DX, R10")
	e.label("line")
	e.line("PREFETCHT1 (R9)")
	e.line("ADDQ $64, R9")
	e.line("SUBQ $16, R10")
	e.line("JG line")
	e.line("ADDQ R8, SI")
	e.line("DECQ CX")
	e.line("JNZ row")
	e.label("done")
	e.line("RET")
	f.asm.WriteByte('\n')
}
