package main

import "fmt"

// Kernels about the machine: its peak, its floating-point mode, its caches.

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

var pairsLoopSpec = spec{
	name:   "fmaLoop",
	params: []param{p("n", integer)},
	doc: []string{
		"executes 12 n independent VDPBF16PS on registers: 24 n multiply-adds on every lane.",
		"",
		"\tfor range n {",
		"\t\tfor j := range 12 {",
		"\t\t\tz[j] = fma(low(x), low(y), fma(high(x), high(y), z[j])) // vectors of all lanes",
		"\t\t}",
		"\t}",
	},
}

func fmaLoop(f *file, s shape) {
	what := fmaLoopSpec
	if s.pairs {
		what = pairsLoopSpec
	}
	e := f.begin(what, s.suffix)
	e.line("MOVQ %s, CX", e.arg("n"))
	for i := range 14 {
		e.line("VXORPS Y%d, Y%d, Y%d", i, i, i)
	}
	e.line("TESTQ CX, CX")
	e.line("JZ done")
	e.label("loop")
	for i := range 12 {
		if s.pairs {
			e.dot(12, 13, i)
			continue
		}
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

// prefetchSpec is for float32, or for elements of two bytes.
func prefetchSpec(suffix string, of kind, line int) spec {
	return spec{
		name:   "prefetch" + suffix,
		params: []param{p("src", of), p("lds", integer), p("m", integer), p("n", integer)},
		doc: []string{
			"asks for m rows of n elements to be brought into the second-level cache; addresses need not exist.",
			"",
			"\tfor i := range m {",
			fmt.Sprintf("\t\tfor j := 0; j < n; j += %d {", line),
			"\t\t\t_ = src[i*lds+j]",
			"\t\t}",
			"\t}",
		},
	}
}

func prefetch(f *file, suffix string, of kind, shift int) {
	line := 64 >> shift // elements
	e := f.begin(prefetchSpec(suffix, of, line), "AVX2")
	e.load("SI", "R8", "CX", "DX")
	e.line("SHLQ $%d, R8", shift)
	e.line("TESTQ CX, CX")
	e.line("JLE done")
	e.label("row")
	e.line("MOVQ SI, R9")
	e.line("MOVQ DX, R10")
	e.label("line")
	e.line("PREFETCHT1 (R9)")
	e.line("ADDQ $64, R9")
	e.line("SUBQ $%d, R10", line)
	e.line("JG line")
	e.line("ADDQ R8, SI")
	e.line("DECQ CX")
	e.line("JNZ row")
	e.label("done")
	e.line("RET")
	f.asm.WriteByte('\n')
}
