package main

import (
	"fmt"
	"math"
	"sort"
	"strings"
)

// vec is a virtual register of 16 float32 lanes: one Z register or two Y registers.
type vec int

// constant is 16 equal words in memory, by their bits.
type constant uint32

// lanes writes code for vectors of 16 lanes. Indexed memory is addressed as (base)(AX*1).
type lanes struct {
	*entry
	zmm  bool
	tail bool // only the lanes of the mask are loaded and stored
	used [16]bool
	base map[string]string // of the slices, by name
	over string            // the slice whose length the loops run over
}

// tierSuffix is the suffix of the entries of a tier.
func tierSuffix(zmm bool) string {
	if zmm {
		return "AVX512"
	}
	return "AVX2"
}

// vectors is the number of virtual registers; with Y registers the last one is the mask.
func (l *lanes) vectors() int {
	if l.zmm {
		return 16
	}
	return 7
}

// alloc returns a free register.
func (l *lanes) alloc() vec {
	for i := range l.vectors() {
		if !l.used[i] {
			l.used[i] = true
			return vec(i)
		}
	}
	panic("out of registers in " + l.name)
}

// free returns registers.
func (l *lanes) free(vs ...vec) {
	for _, v := range vs {
		l.used[v] = false
	}
}

// half is a physical register and its number of bytes into the vector.
func (l *lanes) half(v vec, h int) string {
	if l.zmm {
		return fmt.Sprintf("Z%d", v)
	}
	return fmt.Sprintf("Y%d", 2*int(v)+h)
}

func (l *lanes) halves() int {
	if l.zmm {
		return 1
	}
	return 2
}

// operand is the text of a register or constant for one half.
func (l *lanes) operand(x any, h int) string {
	switch x := x.(type) {
	case vec:
		return l.half(x, h)
	case constant:
		return l.f.constant(x)
	case float64:
		return l.f.constant(constant(math.Float32bits(float32(x))))
	}
	panic(fmt.Sprintf("operand %v", x))
}

// op writes an instruction of vectors, in the order of Go's assembler: destination last.
func (l *lanes) op(name string, operands ...any) {
	for h := range l.halves() {
		texts := make([]string, len(operands))
		for i, x := range operands {
			if imm, ok := x.(string); ok {
				texts[i] = imm
				continue
			}
			texts[i] = l.operand(x, h)
		}
		l.line("%s %s", name, strings.Join(texts, ", "))
	}
}

// bits is op for the bitwise instructions, which have another name for Z registers.
func (l *lanes) bits(name string, operands ...any) {
	if l.zmm {
		name += "D"
	}
	l.op(name, operands...)
}

func (l *lanes) set(dst vec, x any)          { l.op("VMOVUPS", x, dst) }
func (l *lanes) add(dst, a vec, b any)       { l.op("VADDPS", b, a, dst) }
func (l *lanes) sub(dst, a vec, b any)       { l.op("VSUBPS", b, a, dst) }
func (l *lanes) mul(dst, a vec, b any)       { l.op("VMULPS", b, a, dst) }
func (l *lanes) div(dst, a vec, b any)       { l.op("VDIVPS", b, a, dst) }
func (l *lanes) sqrt(dst vec, a any)         { l.op("VSQRTPS", a, dst) }
func (l *lanes) fma(dst, a vec, b any)       { l.op("VFMADD231PS", b, a, dst) }  // dst + a b
func (l *lanes) fnma(dst, a vec, b any)      { l.op("VFNMADD231PS", b, a, dst) } // dst - a b
func (l *lanes) horner(dst, a vec, c any)    { l.op("VFMADD213PS", c, a, dst) }  // dst a + c
func (l *lanes) zero(v vec)                  { l.bits("VPXOR", v, v, v) }
func (l *lanes) max(dst, x vec)              { l.op("VMAXPS", dst, x, dst) } // keeps dst where x is NaN
func (l *lanes) broadcast(dst vec, a string) { l.op("VBROADCASTSS", l.arg(a), dst) }

// mask1 is the mask register of Y code.
func (l *lanes) mask1(h int) string { return fmt.Sprintf("Y%d", 14+h) }

// load reads the current 16 elements of a slice; in the tail those outside read as 0.
func (l *lanes) load(dst vec, name string) {
	for h := range l.halves() {
		at := fmt.Sprintf("%d(%s)(AX*1)", 32*h, l.base[name])
		switch {
		case !l.tail:
			l.line("VMOVUPS %s, %s", at, l.half(dst, h))
		case l.zmm:
			l.line("VMOVUPS.Z %s, K1, %s", at, l.half(dst, h))
		default:
			l.line("VMASKMOVPS %s, %s, %s", at, l.mask1(h), l.half(dst, h))
		}
	}
}

// get is load into a new register.
func (l *lanes) get(name string) vec {
	v := l.alloc()
	l.load(v, name)
	return v
}

// store writes the current 16 elements, in the tail those that exist.
func (l *lanes) store(name string, v vec) {
	for h := range l.halves() {
		at := fmt.Sprintf("%d(%s)(AX*1)", 32*h, l.base[name])
		switch {
		case !l.tail:
			l.line("VMOVUPS %s, %s", l.half(v, h), at)
		case l.zmm:
			l.line("VMOVUPS %s, K1, %s", l.half(v, h), at)
		default:
			l.line("VMASKMOVPS %s, %s, %s", l.half(v, h), l.mask1(h), at)
		}
	}
}

// only clears the lanes outside in the tail, so that they add nothing.
func (l *lanes) only(v vec) {
	switch {
	case !l.tail:
	case l.zmm:
		l.line("VMOVAPS.Z %s, K1, %s", l.half(v, 0), l.half(v, 0))
	default:
		for h := range 2 {
			l.line("VANDPS %s, %s, %s", l.mask1(h), l.half(v, h), l.half(v, h))
		}
	}
}

// loop writes a loop over the elements, 16 at a time, and the tail.
func (l *lanes) loop(body func()) {
	again, rest, done := l.fresh("loop"), l.fresh("tail"), l.fresh("done")
	l.line("MOVQ %s, DX", l.length(l.over))
	l.line("XORQ AX, AX")
	l.line("MOVQ DX, CX")
	l.line("SHRQ $4, CX")
	l.line("JZ %s", rest)
	l.label(again)
	l.tail = false
	body()
	l.line("ADDQ $64, AX")
	l.line("DECQ CX")
	l.line("JNZ %s", again)
	l.label(rest)
	l.line("ANDQ $15, DX")
	l.line("JZ %s", done)
	l.line("NEGQ DX")
	l.line("LEAQ laneMask<>+64(SB), BX")
	if l.zmm {
		l.line("VMOVDQU32 (BX)(DX*4), Z16")
		l.line("VPTESTMD Z16, Z16, K1")
	} else {
		l.line("VMOVUPS (BX)(DX*4), Y14")
		l.line("VMOVUPS 32(BX)(DX*4), Y15")
	}
	l.tail = true
	body()
	l.tail = false
	l.label(done)
}

// fold reduces the lanes of v by the fixed tree (i with i+8, i+4, i+2, i+1) with op "ADD" or "MAX" into lane 0 and
// returns its X register. t is a free register.
func (l *lanes) fold(op string, v, t vec) string {
	n, m := int(v), int(t)
	if l.zmm {
		l.line("VEXTRACTF64X4 $1, Z%d, Y%d", n, m)
		l.line("V%sPS Y%d, Y%d, Y%d", op, m, n, n)
	} else {
		n, m = 2*n, 2*m
		l.line("V%sPS Y%d, Y%d, Y%d", op, n+1, n, n)
	}
	l.line("VEXTRACTF128 $1, Y%d, X%d", n, m)
	l.line("V%sPS X%d, X%d, X%d", op, m, n, n)
	l.line("VPERMILPD $1, X%d, X%d", n, m)
	l.line("V%sPS X%d, X%d, X%d", op, m, n, n)
	l.line("VMOVSHDUP X%d, X%d", n, m)
	l.line("V%sSS X%d, X%d, X%d", op, m, n, n)
	return fmt.Sprintf("X%d", n)
}

// constant returns the address of 16 equal words.
func (f *file) constant(c constant) string {
	if f.consts == nil {
		f.consts = map[constant]bool{}
	}
	f.consts[c] = true
	return fmt.Sprintf("c%08x<>(SB)", uint32(c))
}

// table writes the constants, in order of their bits.
func (f *file) table() string {
	var all []constant
	for c := range f.consts {
		all = append(all, c)
	}
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] })
	var b strings.Builder
	for _, c := range all {
		for i := range 8 {
			fmt.Fprintf(&b, "DATA c%08x<>+%d(SB)/8, $0x%08x%08x\n", uint32(c), 8*i, uint32(c), uint32(c))
		}
		fmt.Fprintf(&b, "GLOBL c%08x<>(SB), RODATA|NOPTR, $64 // %g\n\n", uint32(c), math.Float32frombits(uint32(c)))
	}
	return b.String()
}
