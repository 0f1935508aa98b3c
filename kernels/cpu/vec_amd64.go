package cpu

// Methods of ISA over the assembly of the products. They are not called for Go.

func (u ISA) tile(a *float32, row, step int, b *float32, ldb int, c *float32, ldc, m, n, k, load int, bias *float32) {
	if u >= AVX512 {
		tileAVX512(a, row, step, b, ldb, c, ldc, m, n, k, load, bias)
		return
	}
	tileAVX2(a, row, step, b, ldb, c, ldc, m, n, k, load, bias)
}

// tilePairs is tile over words of two bf16.
func (ISA) tilePairs(a *float32, row, step int, b *float32, ldb int, c *float32, ldc, m, n, k, load int, bias *float32) {
	tileAVX512BF16(a, row, step, b, ldb, c, ldc, m, n, k, load, bias)
}

func (ISA) transposePairs(dst *float32, ldd int, src *uint16, lds, m, n int) {
	transposePairsAVX2(dst, ldd, src, lds, m, n)
}

func (ISA) pairRows(dst *float32, ldd int, src *uint16, lds, m, n int) {
	pairRowsAVX512(dst, ldd, src, lds, m, n)
}

func (ISA) pairPanels(dst *float32, panel int, src *uint16, lds, k, panels int) {
	pairPanelsAVX512(dst, panel, src, lds, k, panels)
}

func (ISA) transpose(dst *float32, ldd int, src *float32, lds, m, n int) {
	transposeAVX2(dst, ldd, src, lds, m, n)
}

func (ISA) copyRows(dst *float32, ldd int, src *float32, lds, m, n int) {
	copyRowsAVX2(dst, ldd, src, lds, m, n)
}

func (ISA) copyPanels(dst *float32, panel int, src *float32, lds, k, panels, step int) {
	copyPanelsAVX2(dst, panel, src, lds, k, panels, step)
}

func (ISA) transposeHalf(dst *float32, ldd int, src *uint16, lds, m, n int, h Half) {
	if h == BF16 {
		transposeBF16AVX2(dst, ldd, src, lds, m, n)
		return
	}
	transposeF16AVX2(dst, ldd, src, lds, m, n)
}

func (ISA) copyHalfRows(dst *float32, ldd int, src *uint16, lds, m, n int, h Half) {
	if h == BF16 {
		copyRowsBF16AVX2(dst, ldd, src, lds, m, n)
		return
	}
	copyRowsF16AVX2(dst, ldd, src, lds, m, n)
}

func (ISA) copyHalfPanels(dst *float32, panel int, src *uint16, lds, k, panels, step int, h Half) {
	if h == BF16 {
		copyPanelsBF16AVX2(dst, panel, src, lds, k, panels, step)
		return
	}
	copyPanelsF16AVX2(dst, panel, src, lds, k, panels, step)
}

func (ISA) prefetch(src *float32, lds, m, n int) { prefetchAVX2(src, lds, m, n) }

func (ISA) prefetchHalf(src *uint16, lds, m, n int) { prefetchHalfAVX2(src, lds, m, n) }

func (ISA) dropGroups(y, x []float32, first int, c1, c2, c3, k0, k1, last uint32, scale float32) {
	dropGroupsAVX2(y, x, first, c1, c2, c3, k0, k1, last, scale)
}

func (ISA) normalGroups(x []float32, std float64, seed, nameHash, j uint64) {
	normalGroupsAVX2(x, std, int(j), uint32(j>>32), uint32(nameHash), uint32(nameHash>>32), uint32(seed), uint32(seed>>32))
}

// widen and narrow cast whole groups of 16 elements and return how many.
func (ISA) widen(dst []float32, src []uint16, h Half) (n int) {
	dst = dst[:len(src)]
	if h == BF16 {
		widenBF16AVX2(dst, src)
	} else {
		widenF16AVX2(dst, src)
	}
	return len(src) &^ 15
}

func (ISA) narrow(dst []uint16, src []float32, h Half) (n int) {
	dst = dst[:len(src)]
	if h == BF16 {
		narrowBF16AVX2(dst, src)
	} else {
		narrowF16AVX2(dst, src)
	}
	return len(src) &^ 15
}

// fmaLoop executes n rounds of twelve multiply-adds and returns the lanes of a register.
func (u ISA) fmaLoop(n int) (lanes int) {
	switch u {
	case AVX512, AVX512BF16:
		fmaLoopAVX512(n)
		return 16
	case AVX2:
		fmaLoopAVX2(n)
		return 8
	}
	return fmaLoopGo(n)
}

// pairsLoop is fmaLoop on pairs of bf16, of which a lane has two.
func (ISA) pairsLoop(n int) (lanes int) {
	fmaLoopAVX512BF16(n)
	return 32
}

// Bits of MXCSR: subnormal results become 0 (FTZ), subnormal operands are read as 0 (DAZ).
const flushBits = 1<<15 | 1<<6

// goMXCSR is the mode that Go starts threads in, without the flags of what has happened.
const goMXCSR, mxcsrFlags = 0x1f80, 0x3f

func flushDenormals() (restore func()) {
	old := getMXCSR()
	setMXCSR(old | flushBits)
	if old&^mxcsrFlags == goMXCSR {
		return restoreMXCSR // always, but for threads that C has changed: no closure is allocated
	}
	return func() { setMXCSR(old) }
}

func restoreMXCSR() { setMXCSR(goMXCSR) }
