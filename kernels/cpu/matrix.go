package cpu

// Matrix is an operand of a product as it is stored: float32, or 16 bits that are widened block by block while they are
// packed. A product has the bits that it has of the widened operands.
type Matrix struct {
	wide   []float32
	narrow []uint16
	kind   Half
}

// F32 is a matrix of float32.
func F32(x []float32) Matrix { return Matrix{wide: x} }

// Stored is a matrix of 16-bit elements of that type.
func Stored(x []uint16, h Half) Matrix { return Matrix{narrow: x, kind: h} }

// half reports whether elements have 16 bits.
func (m *Matrix) half() bool { return m.narrow != nil }

// none reports whether there is no matrix: an absent operand.
func (m *Matrix) none() bool { return m.wide == nil && m.narrow == nil }

// from is the matrix without its first i elements.
func (m Matrix) from(i int) Matrix {
	if m.half() {
		m.narrow = m.narrow[i:]
	} else {
		m.wide = m.wide[i:]
	}
	return m
}

// row is n elements from the one at on: in place, or widened into buf.
func (m *Matrix) row(u ISA, buf []float32, at, n int) []float32 {
	if !m.half() {
		return m.wide[at:][:n]
	}
	u.widenAll(buf[:n], m.narrow[at:][:n], m.kind)
	return buf[:n]
}

// load copies n = len(dst) elements from the one at on.
func (m *Matrix) load(u ISA, dst []float32, at int) {
	if m.half() {
		u.widenAll(dst, m.narrow[at:][:len(dst)], m.kind)
		return
	}
	copy(dst, m.wide[at:][:len(dst)])
}

// store writes src from the element at on, rounded to the type.
func (m *Matrix) store(u ISA, at int, src []float32) {
	if m.half() {
		u.narrowAll(m.narrow[at:][:len(src)], src, m.kind)
		return
	}
	copy(m.wide[at:][:len(src)], src)
}

// zero stores +0 in n elements.
func (m *Matrix) zero(n int) {
	if m.half() {
		clear(m.narrow[:n])
		return
	}
	clear(m.wide[:n])
}
