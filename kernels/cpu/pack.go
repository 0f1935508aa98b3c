package cpu

import "math"

// The packing of an operand on a vector tier. Positions are elements from the start of the matrix.

// copyRows packs m rows of n elements, which lie ld apart, into rows ldd apart.
func (t *operand) copyRows(u ISA, dst []float32, ldd, at, m, n int) {
	if t.half() {
		u.copyHalfRows(&dst[0], ldd, &t.narrow[at], t.ld, m, n, t.kind)
		return
	}
	u.copyRows(&dst[0], ldd, &t.wide[at], t.ld, m, n)
}

// copyPanels packs k rows of panels that are step apart.
func (t *operand) copyPanels(u ISA, dst []float32, panel, at, k, panels, step int) {
	if t.half() {
		u.copyHalfPanels(&dst[0], panel, &t.narrow[at], t.ld, k, panels, step, t.kind)
		return
	}
	u.copyPanels(&dst[0], panel, &t.wide[at], t.ld, k, panels, step)
}

// flip packs m <= 8 rows of n elements as columns.
func (t *operand) flip(u ISA, dst []float32, ldd, at, m, n int) {
	if !t.half() {
		flip(u, dst, ldd, t.wide[at:], t.ld, m, n)
		return
	}
	if n >= 8 {
		u.transposeHalf(&dst[0], ldd, &t.narrow[at], t.ld, m, n, t.kind)
		return
	}
	var buf [8]float32
	for i := range m {
		for j, v := range t.row(u, buf[:], at+i*t.ld, n) {
			dst[j*ldd+i] = v
		}
	}
}

// flip stores dst[j*ldd+i] = src[i*lds+j] for m <= 8 rows of n elements.
func flip(u ISA, dst []float32, ldd int, src []float32, lds, m, n int) {
	if n >= 8 {
		u.transpose(&dst[0], ldd, &src[0], lds, m, n)
		return
	}
	for i := range m {
		for j, v := range src[i*lds:][:n] {
			dst[j*ldd+i] = v
		}
	}
}

// prefetch brings m rows of n elements nearer.
func (t *operand) prefetch(u ISA, at, m, n int) {
	if t.half() {
		u.prefetchHalf(&t.narrow[at], t.ld, m, n)
		return
	}
	u.prefetch(&t.wide[at], t.ld, m, n)
}

// pairs packs m <= 8 rows of n words as columns, each two elements that follow each other, from the one at on.
func (t *operand) pairs(u ISA, dst []float32, ldd, at, m, n int) {
	if n >= 8 {
		u.transposePairs(&dst[0], ldd, &t.narrow[at], t.ld, m, n)
		return
	}
	for i := range m {
		for j := range n {
			p := t.narrow[at+i*t.ld+2*j:]
			dst[j*ldd+i] = pair(p[0], p[1])
		}
	}
}

// pair is a word of the packed operands of tilePairs.
func pair(first, second uint16) float32 {
	return math.Float32frombits(uint32(first)<<16 | uint32(second))
}
