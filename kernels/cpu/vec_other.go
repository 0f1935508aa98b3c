//go:build !amd64

package cpu

// Detect never returns a vector tier here, so that nothing reaches these.
const noVector = "kernels/cpu: vector kernel on an architecture without one"

func (ISA) tile(a *float32, row, step int, b *float32, ldb int, c *float32, ldc, m, n, k, load int, bias *float32) {
	panic(noVector)
}

func (ISA) tilePairs(a *float32, row, step int, b *float32, ldb int, c *float32, ldc, m, n, k, load int, bias *float32) {
	panic(noVector)
}

func (ISA) transposePairs(dst *float32, ldd int, src *uint16, lds, m, n int) { panic(noVector) }

func (ISA) pairRows(dst *float32, ldd int, src *uint16, lds, m, n int) { panic(noVector) }

func (ISA) pairPanels(dst *float32, panel int, src *uint16, lds, k, panels int) { panic(noVector) }

func (ISA) pairsLoop(n int) (lanes int) { panic(noVector) }

func (ISA) transpose(dst *float32, ldd int, src *float32, lds, m, n int) { panic(noVector) }

func (ISA) copyRows(dst *float32, ldd int, src *float32, lds, m, n int) { panic(noVector) }

func (ISA) copyPanels(dst *float32, panel int, src *float32, lds, k, panels, step int) {
	panic(noVector)
}

func (ISA) transposeHalf(dst *float32, ldd int, src *uint16, lds, m, n int, h Half) { panic(noVector) }

func (ISA) copyHalfRows(dst *float32, ldd int, src *uint16, lds, m, n int, h Half) { panic(noVector) }

func (ISA) copyHalfPanels(dst *float32, panel int, src *uint16, lds, k, panels, step int, h Half) {
	panic(noVector)
}

func (ISA) prefetchHalf(src *uint16, lds, m, n int) { panic(noVector) }

func (ISA) prefetch(src *float32, lds, m, n int) { panic(noVector) }

func (ISA) dropGroups(y, x []float32, first int, c1, c2, c3, k0, k1, last uint32, scale float32) {
	panic(noVector)
}

func (ISA) normalGroups(x []float32, std float64, seed, nameHash, j uint64) { panic(noVector) }

func (ISA) widen(dst []float32, src []uint16, h Half) (n int) { panic(noVector) }

func (ISA) narrow(dst []uint16, src []float32, h Half) (n int) { panic(noVector) }

func (ISA) fmaLoop(n int) (lanes int) { return fmaLoopGo(n) }

func flushDenormals() (restore func()) { return func() {} }
