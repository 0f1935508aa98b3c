package cpu

import "github.com/gradcue/gradcue/kernels/scratch"

// panelCols is the width of a packed panel and of the register tile, tileRows its height.
//
// Two by three is what the amd64 compiler holds in registers: it schedules all products of an
// iteration before the additions, so a tile needs two registers a product and any taller or
// wider one spills its accumulators to the stack, at a third of the speed. Six chains are
// enough to hide the latency of the addition, and a tile reads five operands for six products.
const (
	panelCols = scratch.PanelCols
	tileRows  = 2
)

// panelRows continues m rows of three chains over one packed panel:
//
//	c[i*ldc+j] = chain(load ? c[i*ldc+j] : +0; a[i*lda+k] * p[k][j], k = 0 … len(p)-1)
func panelRows(c []float32, ldc int, a []float32, lda, m int, p [][panelCols]float32, load bool) {
	i := 0
	for ; i+tileRows <= m; i += tileRows {
		tile2(c[i*ldc:], c[(i+1)*ldc:], a[i*lda:], a[(i+1)*lda:], p, load)
	}
	if i < m {
		tile1(c[i*ldc:], a[i*lda:], p, load)
	}
}

// tile2 continues three chains of each of two rows. Two steps of k an iteration, in order.
func tile2(ca, cb, a0, a1 []float32, p [][panelCols]float32, load bool) {
	ra, rb := (*[panelCols]float32)(ca), (*[panelCols]float32)(cb)
	a0, a1 = a0[:len(p)], a1[:len(p)]
	var c00, c01, c02, c10, c11, c12 float32
	if load {
		c00, c01, c02 = ra[0], ra[1], ra[2]
		c10, c11, c12 = rb[0], rb[1], rb[2]
	}
	k := 0
	for ; k < len(p)-1; k += 2 {
		b := &p[k]
		x0, x1 := a0[k], a1[k]
		y := b[0]
		c00 = float32(x0*y) + c00
		c10 = float32(x1*y) + c10
		y = b[1]
		c01 = float32(x0*y) + c01
		c11 = float32(x1*y) + c11
		y = b[2]
		c02 = float32(x0*y) + c02
		c12 = float32(x1*y) + c12
		b = &p[k+1]
		x0, x1 = a0[k+1], a1[k+1]
		y = b[0]
		c00 = float32(x0*y) + c00
		c10 = float32(x1*y) + c10
		y = b[1]
		c01 = float32(x0*y) + c01
		c11 = float32(x1*y) + c11
		y = b[2]
		c02 = float32(x0*y) + c02
		c12 = float32(x1*y) + c12
	}
	if k < len(p) {
		b := &p[k]
		x0, x1 := a0[k], a1[k]
		c00 = float32(x0*b[0]) + c00
		c10 = float32(x1*b[0]) + c10
		c01 = float32(x0*b[1]) + c01
		c11 = float32(x1*b[1]) + c11
		c02 = float32(x0*b[2]) + c02
		c12 = float32(x1*b[2]) + c12
	}
	ra[0], ra[1], ra[2] = c00, c01, c02
	rb[0], rb[1], rb[2] = c10, c11, c12
}

// tile1 continues three chains of one row: the last row of an odd count.
func tile1(c, a []float32, p [][panelCols]float32, load bool) {
	r := (*[panelCols]float32)(c)
	a = a[:len(p)]
	var c0, c1, c2 float32
	if load {
		c0, c1, c2 = r[0], r[1], r[2]
	}
	for k := range p {
		b := &p[k]
		x := a[k]
		c0 = float32(x*b[0]) + c0
		c1 = float32(x*b[1]) + c1
		c2 = float32(x*b[2]) + c2
	}
	r[0], r[1], r[2] = c0, c1, c2
}

// edgeRows bounds the rows of the copy an incomplete panel goes through.
const edgeRows = 64

// narrowRows is panelRows for a panel of which only the first w columns exist in c: they are
// copied to a full tile and back, so their chains are the same as anywhere else.
func narrowRows(c []float32, ldc int, a []float32, lda, m, w int, p [][panelCols]float32, load bool) {
	var t [edgeRows * panelCols]float32
	for i := 0; i < m; i += edgeRows {
		n := min(edgeRows, m-i)
		if load {
			for r := range n {
				copy(t[r*panelCols:], c[(i+r)*ldc:][:w])
			}
		}
		panelRows(t[:], panelCols, a[i*lda:], lda, n, p, load)
		for r := range n {
			copy(c[(i+r)*ldc:][:w], t[r*panelCols:])
		}
	}
}

// someRows is panelRows for a panel of w columns, which may be fewer than it has room for.
func someRows(c []float32, ldc int, a []float32, lda, m, w int, p [][panelCols]float32, load bool) {
	if w == panelCols {
		panelRows(c, ldc, a, lda, m, p, load)
		return
	}
	narrowRows(c, ldc, a, lda, m, w, p, load)
}

// packRows fills p[k][j] = b[j*ldb+k] for the w rows of b that exist and zero for the others:
// the panel of a product with the rows of b (x wᵀ).
func packRows(p [][panelCols]float32, b []float32, ldb, w int) {
	if w == panelCols {
		b0, b1, b2 := b[:len(p)], b[ldb:][:len(p)], b[2*ldb:][:len(p)]
		for k := range p {
			p[k] = [panelCols]float32{b0[k], b1[k], b2[k]}
		}
		return
	}
	clear(p)
	for j := range w {
		row := b[j*ldb:][:len(p)]
		for k := range p {
			p[k][j] = row[k]
		}
	}
}

// packCols fills p[k][j] = b[k*ldb+j] for the w columns that exist and zero for the others:
// the panel of a product with b itself (x w).
func packCols(p [][panelCols]float32, b []float32, ldb, w int) {
	if w == panelCols {
		for k := range p {
			p[k] = *(*[panelCols]float32)(b[k*ldb:])
		}
		return
	}
	for k := range p {
		p[k] = [panelCols]float32{}
		copy(p[k][:], b[k*ldb:][:w])
	}
}
