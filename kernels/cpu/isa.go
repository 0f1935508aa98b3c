package cpu

import (
	"fmt"

	"golang.org/x/sys/cpu"
)

//go:generate go run -C ../_gen .

// ISA is the instruction set a kernel runs on. The vector tiers give the same bits, [AVX512BF16] while subnormal numbers
// are flushed ([FlushDenormals]), as its instruction always does; [Go] rounds every product before it is added, and so
// differs from them in the last places (relative error of a tensor below 1e-5).
type ISA uint8

// The instruction sets, from the one every machine has to the widest.
const (
	Go         ISA = iota // plain Go, on every architecture
	AVX2                  // amd64 with AVX2, FMA and F16C
	AVX512                // amd64 with AVX-512F besides
	AVX512BF16            // amd64 with AVX-512VL and AVX512_BF16 besides: products of two bf16 matrices in pairs of steps
)

var isaNames = [...]string{"go", "avx2", "avx512", "avx512bf16"}

// String returns "go", "avx2", "avx512" or "avx512bf16".
func (u ISA) String() string {
	if int(u) < len(isaNames) {
		return isaNames[u]
	}
	return fmt.Sprintf("ISA(%d)", uint8(u))
}

// ParseISA is the inverse of String.
func ParseISA(s string) (ISA, error) {
	for i, name := range isaNames {
		if s == name {
			return ISA(i), nil
		}
	}
	return Go, fmt.Errorf("instruction set %q: want one of go, avx2, avx512, avx512bf16", s)
}

// Detect returns the widest instruction set that processor and operating system support.
func Detect() ISA {
	x := &cpu.X86
	switch {
	case !x.HasAVX2 || !x.HasFMA || !x.HasF16C:
		return Go
	case !x.HasAVX512F:
		return AVX2
	case !x.HasAVX512VL || !x.HasAVX512BF16:
		return AVX512
	}
	return AVX512BF16
}

// isa is the instruction set of the kernels that run on p: what p asks for, as far as the machine has it.
func isa(p Par) ISA {
	if v, ok := p.(interface{ ISA() ISA }); ok {
		return min(v.ISA(), Detect())
	}
	return Go
}

// SerialISA is [Serial] on an instruction set.
type SerialISA ISA

// Workers returns 1.
func (SerialISA) Workers() int { return 1 }

// For calls body once for the whole range.
func (SerialISA) For(n, grain int, body func(lo, hi, worker int)) { Serial{}.For(n, grain, body) }

// ISA returns the instruction set.
func (u SerialISA) ISA() ISA { return ISA(u) }
