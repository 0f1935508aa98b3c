package cpu

// Peak executes n rounds of twelve independent multiply-adds in registers, on every lane and every worker of p, and returns the
// floating-point operations done. Its rate is what the rate of a product is held against.
func Peak(p Par, n int) (flops int64) {
	return peak(p, n, isa(p).fmaLoop)
}

// PeakPairs is [Peak] of the instruction that multiplies and adds two bf16 a lane; 0 for a Par without [AVX512BF16].
func PeakPairs(p Par, n int) (flops int64) {
	u := isa(p)
	if u < AVX512BF16 {
		return 0
	}
	return peak(p, n, u.pairsLoop)
}

// peak counts the operations of a loop on every worker.
func peak(p Par, n int, loop func(n int) (lanes int)) (flops int64) {
	done := make([]int, p.Workers())
	p.For(p.Workers(), 1, func(lo, hi, worker int) {
		for range hi - lo {
			done[worker] += loop(n)
		}
	})
	for _, lanes := range done {
		flops += 2 * 12 * int64(n) * int64(lanes)
	}
	return flops
}

// fmaLoopGo is fmaLoop of the Go tier: six chains, which hide the latency of the addition.
func fmaLoopGo(n int) (lanes int) {
	var z0, z1, z2, z3, z4, z5 float32
	x, y := float32(n&1), float32(n&2)
	for range 2 * n {
		z0 = float32(x*y) + z0
		z1 = float32(x*y) + z1
		z2 = float32(x*y) + z2
		z3 = float32(x*y) + z3
		z4 = float32(x*y) + z4
		z5 = float32(x*y) + z5
	}
	if z0+z1+z2+z3+z4+z5 < 0 { // never: it keeps the chains alive
		return 0
	}
	return 1
}

// FlushDenormals makes the calling thread read subnormal operands as 0 and round subnormal results to 0, and returns
// what puts the old mode back. A subnormal number costs a hundred cycles and more, so that operands below 1e-38 slow a
// product down two hundred times.
//
// The mode belongs to the thread: call it after runtime.LockOSThread, on every thread that runs kernels, since threads in different
// modes give different bits. Numbers below 1.2e-38 become 0, where PyTorch keeps them. It does nothing on other
// architectures than amd64.
func FlushDenormals() (restore func()) { return flushDenormals() }
