package main

import "fmt"

// shape is the register tile of a tier: rows by vecs vectors of lanes columns.
type shape struct {
	suffix     string
	rows, vecs int
	lanes      int
	whole      bool // no mask: n is a multiple of lanes
	pairs      bool // a and b are pairs of bf16, a word for two steps of k
}

var (
	shapes     = []shape{{suffix: "AVX512", rows: 8, vecs: 3, lanes: 16}, {suffix: "AVX2", rows: 6, vecs: 2, lanes: 8}}
	pairsShape = shape{suffix: "AVX512BF16", rows: 8, vecs: 3, lanes: 16, pairs: true}
)

// Registers of the tile kernels. A's rows are addressed in groups of three from three bases.
const (
	aBase0, aBase1, aBase2 = "SI", "R9", "R10"
	aRow, aStep            = "R8", "R11"
	bBase, bStep           = "DI", "R12"
	cBase, cRow            = "DX", "R13"
)

// reg is register number i of the tile's width.
func (s shape) reg(i int) string {
	if s.lanes == 16 {
		return fmt.Sprintf("Z%d", i)
	}
	return fmt.Sprintf("Y%d", i)
}

// acc is the accumulator of a row and vector: the last registers of the file.
func (s shape) acc(r, v int) string {
	last := 15
	if s.lanes == 16 {
		last = 31
	}
	return s.reg(last - r*s.vecs - v)
}

// mask is the register that holds the mask of the last vector: K1, or a Y register.
func (s shape) mask() string {
	if s.lanes == 16 {
		return "K1"
	}
	return "Y3"
}

// load is a load of vector v; the last one of nv is masked, the lanes outside read as 0 and touch no memory. With 8 lanes
// a masked load costs a tenth of the tile's speed, so there are kernels for whole vectors besides.
func (s shape) load(e *entry, from, to string, v, nv int) {
	switch {
	case v < nv-1 || s.whole:
		e.line("VMOVUPS %s, %s", from, to)
	case s.lanes == 16:
		e.line("VMOVUPS.Z %s, K1, %s", from, to)
	default:
		e.line("VMASKMOVPS %s, %s, %s", from, s.mask(), to)
	}
}

// store is the converse.
func (s shape) store(e *entry, from, to string, v, nv int) {
	switch {
	case v < nv-1 || s.whole:
		e.line("VMOVUPS %s, %s", from, to)
	case s.lanes == 16:
		e.line("VMOVUPS %s, K1, %s", from, to)
	default:
		e.line("VMASKMOVPS %s, %s, %s", from, s.mask(), to)
	}
}

var tileSpec = spec{
	name: "tile",
	params: []param{p("a", pointer), p("row", integer), p("step", integer), p("b", pointer), p("ldb", integer),
		p("c", pointer), p("ldc", integer), p("m", integer), p("n", integer), p("k", integer), p("load", integer), p("bias", pointer)},
	doc: []string{
		"continues m by n chains over k steps; a, b and c are strided, load says that c goes on (else",
		"it starts from +0), bias is added at the end when it is not nil. Every step is one fused multiply-add.",
		"",
		"\tfor i := range m {",
		"\t\tfor j := range n {",
		"\t\t\tacc := load ? c[i*ldc+j] : 0",
		"\t\t\tfor t := range k {",
		"\t\t\t\tacc = fma(a[i*row+t*step], b[t*ldb+j], acc)",
		"\t\t\t}",
		"\t\t\tc[i*ldc+j] = bias != nil ? acc + bias[j] : acc",
		"\t\t}",
		"\t}",
	},
}

var tilePairsSpec = spec{
	name:   "tile",
	params: tileSpec.params,
	doc: []string{
		"is the tile over k words that each hold two steps, the first in the high half. VDPBF16PS multiplies and",
		"adds the high halves, rounds, and then the low ones, with subnormal numbers as 0: two fused multiply-adds.",
		"",
		"\tfor i := range m {",
		"\t\tfor j := range n {",
		"\t\t\tacc := load ? c[i*ldc+j] : 0",
		"\t\t\tfor t := range k {",
		"\t\t\t\tx, y := a[i*row+t*step], b[t*ldb+j]",
		"\t\t\t\tacc = fma(widened(x>>16), widened(y>>16), acc)",
		"\t\t\t\tacc = fma(widened(x), widened(y), acc)",
		"\t\t\t}",
		"\t\t\tc[i*ldc+j] = bias != nil ? acc + bias[j] : acc",
		"\t\t}",
		"\t}",
	},
}

// tiles writes the entry of one tier: it loads the arguments, jumps to the kernel of m rows and ⌈n/lanes⌉ vectors.
func tiles(f *file, s shape) {
	what := tileSpec
	if s.pairs {
		what = tilePairsSpec
	}
	e := f.begin(what, s.suffix)
	e.line("MOVQ %s, %s", e.arg("a"), aBase0)
	e.line("MOVQ %s, %s", e.arg("row"), aRow)
	e.line("MOVQ %s, %s", e.arg("step"), aStep)
	e.line("MOVQ %s, %s", e.arg("b"), bBase)
	e.line("MOVQ %s, %s", e.arg("ldb"), bStep)
	e.line("MOVQ %s, %s", e.arg("c"), cBase)
	e.line("MOVQ %s, %s", e.arg("ldc"), cRow)
	for _, r := range []string{aRow, aStep, bStep, cRow} {
		e.line("SHLQ $2, %s", r)
	}
	e.line("LEAQ (%s)(%s*2), %s", aBase0, aRow, aBase1)
	e.line("ADDQ %s, %s", aRow, aBase1)
	if s.rows > 6 {
		e.line("LEAQ (%s)(%s*2), %s", aBase1, aRow, aBase2)
		e.line("ADDQ %s, %s", aRow, aBase2)
	}
	// The lanes of the last vector: (n-1) mod lanes + 1 of them.
	e.line("MOVQ %s, AX", e.arg("n"))
	e.line("DECQ AX")
	e.line("MOVQ AX, BX")
	e.line("ANDQ $%d, BX", s.lanes-1)
	e.line("NEGQ BX")
	e.line("LEAQ laneMask<>+60(SB), CX")
	if s.lanes == 16 {
		e.line("VMOVDQU32 (CX)(BX*4), Z0")
		e.line("VPTESTMD Z0, Z0, K1")
		e.line("SHRQ $4, AX")
	} else {
		e.line("VMOVUPS (CX)(BX*4), %s", s.mask())
		e.line("SHRQ $3, AX")
	}
	e.line("MOVQ %s, CX", e.arg("k"))
	sets := []shape{s}
	if s.lanes == 8 {
		e.line("CMPQ BX, $-7")
		e.line("JNE masked")
		all := s
		all.whole = true
		all.choose(e)
		e.label("masked")
		sets = append(sets, all)
	}
	s.choose(e)
	for _, s := range sets {
		for nv := s.vecs; nv >= 1; nv-- {
			for mr := s.rows; mr >= 1; mr-- {
				s.kernel(e, mr, nv)
			}
		}
	}
	f.asm.WriteByte('\n')
}

// at is a label of the kernel of mr rows and nv vectors.
func (s shape) at(label string, mr, nv int) string {
	if s.whole {
		label = "whole" + label
	}
	return fmt.Sprintf("%s%dx%d", label, mr, nv)
}

// choose jumps to the kernel of m rows and AX+1 vectors.
func (s shape) choose(e *entry) {
	e.line("MOVQ %s, BX", e.arg("m"))
	for nv := s.vecs; nv >= 1; nv-- {
		if nv > 1 {
			e.line("CMPQ AX, $%d", nv-1)
			e.line("JNE %s", s.at("not", 0, nv))
		}
		for mr := s.rows; mr > 1; mr-- {
			e.line("CMPQ BX, $%d", mr)
			e.line("JEQ %s", s.at("tile", mr, nv))
		}
		e.line("JMP %s", s.at("tile", 1, nv))
		if nv > 1 {
			e.label(s.at("not", 0, nv))
		}
	}
}

// kernel is the tile of mr rows and nv vectors.
func (s shape) kernel(e *entry, mr, nv int) {
	at := func(label string) string { return s.at(label, mr, nv) }
	e.label(at("tile"))
	e.line("MOVQ %s, AX", e.arg("load"))
	e.line("MOVQ %s, BX", cBase)
	e.line("TESTQ AX, AX")
	e.line("JZ %s", at("zero"))
	for r := range mr {
		for v := range nv {
			s.load(e, fmt.Sprintf("%d(BX)", v*s.lanes*4), s.acc(r, v), v, nv)
		}
		if r < mr-1 {
			e.line("ADDQ %s, BX", cRow)
		}
	}
	e.line("JMP %s", at("start"))
	e.label(at("zero"))
	for r := range mr {
		for v := range nv {
			x := s.acc(r, v)
			if s.lanes == 16 {
				e.line("VPXORD %s, %s, %s", x, x, x)
			} else {
				e.line("VXORPS %s, %s, %s", x, x, x)
			}
		}
		e.line("PREFETCHT0 (BX)")
		if nv*s.lanes > 16 {
			e.line("PREFETCHT0 %d(BX)", nv*s.lanes*4-4)
		}
		if r < mr-1 {
			e.line("ADDQ %s, BX", cRow)
		}
	}
	e.label(at("start"))
	e.line("MOVQ CX, BX")
	e.line("ANDQ $3, BX")
	e.line("SHRQ $2, CX")
	e.line("JZ %s", at("rest"))
	e.line("PCALIGN $32")
	e.label(at("four"))
	for range 4 {
		s.step(e, mr, nv)
	}
	e.line("DECQ CX")
	e.line("JNZ %s", at("four"))
	e.label(at("rest"))
	e.line("TESTQ BX, BX")
	e.line("JZ %s", at("bias"))
	e.label(at("one"))
	s.step(e, mr, nv)
	e.line("DECQ BX")
	e.line("JNZ %s", at("one"))
	e.label(at("bias"))
	s.epilogue(e, mr, nv, at)
	e.line("VZEROUPPER")
	e.line("RET")
}

// step is one k: the vectors of b, then for every row a broadcast and its multiply-adds.
func (s shape) step(e *entry, mr, nv int) {
	bases := [3]string{aBase0, aBase1, aBase2}
	for v := range nv {
		s.load(e, fmt.Sprintf("%d(%s)", v*s.lanes*4, bBase), s.reg(v), v, nv)
	}
	e.line("ADDQ %s, %s", bStep, bBase)
	for r := range mr {
		index := [3]string{"", "(" + aRow + "*1)", "(" + aRow + "*2)"}[r%3]
		e.line("VBROADCASTSS (%s)%s, %s", bases[r/3], index, s.reg(s.factor(r)))
		for v := range nv {
			s.multiplyAdd(e, r, v)
		}
		if r%3 == 2 || r == mr-1 {
			e.line("ADDQ %s, %s", aStep, bases[r/3])
		}
	}
}

// factor is the register of the element of row r.
func (s shape) factor(r int) int {
	if s.lanes == 16 {
		return s.vecs + r%2
	}
	return s.vecs
}

// multiplyAdd adds the product of row r and vector v of b.
func (s shape) multiplyAdd(e *entry, r, v int) {
	if s.pairs {
		last := 31
		e.dot(v, s.factor(r), last-r*s.vecs-v)
		return
	}
	e.line("VFMADD231PS %s, %s, %s", s.reg(v), s.reg(s.factor(r)), s.acc(r, v))
}

// dot is VDPBF16PS Zx, Zy, Zacc, which Go's assembler does not have.
func (e *entry) dot(x, y, acc int) {
	bit := func(r, n int) int { return 1 ^ r>>n&1 } // register numbers are stored inverted
	p0 := bit(acc, 3)<<7 | bit(x, 4)<<6 | bit(x, 3)<<5 | bit(acc, 4)<<4 | 2
	p1 := (^y&15)<<3 | 1<<2 | 2
	p2 := 2<<5 | bit(y, 4)<<3
	modrm := 3<<6 | acc&7<<3 | x&7
	e.line("LONG $0x%02x%02x%02x62; WORD $0x%02x52 // VDPBF16PS Z%d, Z%d, Z%d", p2, p1, p0, modrm, x, y, acc)
}

// epilogue adds the bias and stores.
func (s shape) epilogue(e *entry, mr, nv int, at func(string) string) {
	e.line("MOVQ %s, AX", e.arg("bias"))
	e.line("TESTQ AX, AX")
	e.line("JZ %s", at("store"))
	for v := range nv {
		s.load(e, fmt.Sprintf("%d(AX)", v*s.lanes*4), s.reg(v), v, nv)
	}
	for r := range mr {
		for v := range nv {
			e.line("VADDPS %s, %s, %s", s.reg(v), s.acc(r, v), s.acc(r, v))
		}
	}
	e.label(at("store"))
	for r := range mr {
		for v := range nv {
			s.store(e, s.acc(r, v), fmt.Sprintf("%d(%s)", v*s.lanes*4, cBase), v, nv)
		}
		if r < mr-1 {
			e.line("ADDQ %s, %s", cRow, cBase)
		}
	}
}
