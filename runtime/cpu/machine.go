package cpu

import (
	"errors"
	"time"

	kernel "github.com/gradcue/gradcue/kernels/cpu"
)

// Machine is what its processors and memory do at most, for a number of workers
// and an instruction set.
type Machine struct {
	ISA       string  `json:"isa"`
	Workers   int     `json:"workers"`
	FLOPS     float64 `json:"flops"`     // FLOP/s of independent multiply-adds on registers
	Pairs     float64 `json:"pairs"`     // the same of pairs of bf16; 0 where the instruction set has none
	Bandwidth float64 `json:"bandwidth"` // bytes/s of a copy beyond the caches, read and written; 0 where it was not measured
}

const (
	peakRuns  = 40        // of which the best counts: nothing makes a loop on registers too fast
	peakNanos = 2_000_000 // the least that one of them takes: short, to fit between other processes
	copyRuns  = 4         // of which the best counts
	copyChunk = 1 << 20   // the grain of a copy
)

// Measure measures the machine; now is a clock in monotonic nanoseconds. Memory
// is measured with two arrays of so many bytes, which must be more than the
// caches hold; 0 leaves it out. A loop on registers takes about 100 ms, and there
// may be two.
func Measure(workers int, isa string, memory int64, now func() int64) (m Machine, err error) {
	u, err := chooseISA(isa)
	if err != nil {
		return m, err
	}
	p, err := newPool(workers, u)
	if err != nil {
		return m, err
	}
	m = Machine{ISA: u.String(), Workers: workers, FLOPS: p.peak(now, kernel.Peak)}
	if u == kernel.AVX512BF16 {
		m.Pairs = p.peak(now, kernel.PeakPairs)
	}
	if memory > 0 {
		m.Bandwidth, err = p.copyRate(memory, now)
	}
	return m, errors.Join(err, p.close())
}

// peak is the best rate of a loop on registers.
func (p *pool) peak(now func() int64, loop func(kernel.Par, int) int64) float64 {
	n, best := 1<<12, 0.0
	for run := 0; run < peakRuns; {
		began := now()
		flops := loop(p, n)
		took := now() - began
		if took < peakNanos && n < 1<<30 {
			n *= 2
			continue
		}
		best = max(best, float64(flops)/float64(max(took, 1))*1e9)
		run++
	}
	return best
}

// pairsPay reports whether multiply-adds of pairs of bf16 are clearly faster than those of f32. Some processors have the instruction
// at half the rate. It takes about a millisecond.
func pairsPay() bool {
	const n, runs = 1 << 10, 8
	p := kernel.SerialISA(kernel.AVX512BF16)
	best := func(loop func(kernel.Par, int) int64) (rate float64) {
		for range runs {
			began := time.Now()
			flops := loop(p, n)
			rate = max(rate, float64(flops)/float64(max(time.Since(began), 1)))
		}
		return rate
	}
	return best(kernel.PeakPairs) > 1.25*best(kernel.Peak)
}

// copyRate is the best rate of a copy from one array of n bytes to another.
func (p *pool) copyRate(n int64, now func() int64) (best float64, err error) {
	a, err := allocate(2 * n)
	if err != nil {
		return 0, err
	}
	p.touch(a.mem)
	src, dst := a.mem[:n], a.mem[n:]
	for range copyRuns {
		began := now()
		p.For(int(n), copyChunk, func(lo, hi, _ int) { copy(dst[lo:hi], src[lo:hi]) })
		best = max(best, 2*float64(n)/float64(max(now()-began, 1))*1e9)
	}
	return best, release(a)
}
