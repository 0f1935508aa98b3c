package cpu

// Cache blocks of the products. They change speed, never bits.
const (
	blockK    = 256 // steps of k a panel holds: 3 KiB, with two rows of a in the first-level cache
	blockRows = 256 // rows of c a task covers: with blockK, 256 KiB of a in the second-level cache
	flipK     = 128 // steps of k of a transposed block of a
	flipRows  = 64  // rows of a transposed block: 32 KiB of stack
)

// operand is one matrix of a product. With across false its k runs along a row (element (i,k) is
// at i*ld+k), with across true down a column (at k*ld+i).
type operand struct {
	Matrix
	ld     int
	across bool
}

// product computes c[i,j] = chain over k of a(i,k)*b(j,k), i < M, j < N, k < K, continuing from c
// when acc, and adds bias[j] once at the end when bias is not nil. c is dense [M,N]. Then comes the epilogue.
func product(p Par, c []float32, a, b operand, bias []float32, M, N, K int, acc bool, end epilogue) {
	if M <= 0 || N <= 0 {
		return
	}
	if u := isa(p); u != Go && K > 0 {
		packed{u: u, c: c, a: a, b: b, bias: bias, M: M, N: N, K: K, acc: acc, end: end}.run(p)
		return
	}
	plainProduct(p, c, a, b, bias, M, N, K, acc)
	end.apply(p, c[:M*N])
}

// plainProduct is product in plain Go. A task is one panel of three columns by one block of rows, so workers share nothing.
func plainProduct(p Par, c []float32, a, b operand, bias []float32, M, N, K int, acc bool) {
	rows := blockRows
	if a.buffered() {
		rows = flipRows
	}
	panels := (N + panelCols - 1) / panelCols
	blocks := (M + rows - 1) / rows
	grain := max(1, 1<<15/(panelCols*max(K, 1)*min(rows, M)))
	type args struct {
		c, bias      []float32
		a, b         operand
		M, N, K      int
		acc          bool
		rows, panels int
	}
	each(p, panels*blocks, grain, args{c, bias, a, b, M, N, K, acc, rows, panels}, func(t *args, lo, hi, _ int) {
		for lo < hi {
			blk, first := lo/t.panels, lo%t.panels
			n := min(hi-lo, t.panels-first)
			g := region{i0: blk * t.rows, i1: min(t.M, (blk+1)*t.rows),
				j0: first * panelCols, j1: min(t.N, (first+n)*panelCols)}
			if t.a.buffered() {
				g.buffered(t.c, t.N, t.a, t.b, t.K, t.acc)
			} else {
				g.direct(t.c, t.N, t.a, t.b, t.K, t.acc)
			}
			g.bias(t.c, t.N, t.bias)
			lo += n
		}
	})
}

// region is the part [i0,i1) × [j0,j1) of a product.
type region struct{ i0, i1, j0, j1 int }

// direct computes the region with the rows of a read in place.
func (t region) direct(c []float32, ldc int, a, b operand, K int, acc bool) {
	var panel [blockK][panelCols]float32
	if K == 0 && !acc {
		t.clear(c, ldc)
	}
	for k := 0; k < K; k += blockK {
		n := min(blockK, K-k)
		t.panels(c, ldc, a.wide[t.i0*a.ld+k:], a.ld, b, k, panel[:n], acc || k > 0)
	}
}

// buffered reports whether rows of the operand cannot be read in place.
func (t *operand) buffered() bool { return t.across || t.half() }

// buffered computes the region with a copied block by block into a buffer of float32 whose rows run along k.
func (t region) buffered(c []float32, ldc int, a, b operand, K int, acc bool) {
	var panel [flipK][panelCols]float32
	var buf [flipRows * flipK]float32
	if K == 0 && !acc {
		t.clear(c, ldc)
	}
	for k := 0; k < K; k += flipK {
		n := min(flipK, K-k)
		a.rows(buf[:], t.i0, t.i1, k, n)
		t.panels(c, ldc, buf[:], flipK, b, k, panel[:n], acc || k > 0)
	}
}

// rows copies the rows [i0,i1), n elements from k on, into rows flipK apart.
func (t *operand) rows(dst []float32, i0, i1, k, n int) {
	if !t.across {
		for i := i0; i < i1; i++ {
			t.load(Go, dst[(i-i0)*flipK:][:n], i*t.ld+k)
		}
		return
	}
	var buf [flipRows]float32
	for kk := range n {
		for i, v := range t.row(Go, buf[:], (k+kk)*t.ld+i0, i1-i0) {
			dst[i*flipK+kk] = v
		}
	}
}

// panel packs w <= panelCols columns from j on, len(p) steps from k on.
func (t *operand) panel(p [][panelCols]float32, j, w, k int) {
	switch {
	case t.half():
		t.halfPanel(p, j, w, k)
	case t.across:
		packCols(p, t.wide[k*t.ld+j:], t.ld, w)
	default:
		packRows(p, t.wide[j*t.ld+k:], t.ld, w)
	}
}

// halfPanel is panel of 16-bit elements, by way of a buffer.
func (t *operand) halfPanel(p [][panelCols]float32, j, w, k int) {
	var buf [blockK * panelCols]float32
	if t.across {
		for kk := range p {
			t.load(Go, buf[kk*panelCols:][:w], (k+kk)*t.ld+j)
		}
		packCols(p, buf[:], panelCols, w)
		return
	}
	for i := range w {
		t.load(Go, buf[i*blockK:][:len(p)], (j+i)*t.ld+k)
	}
	packRows(p, buf[:], blockK, w)
}

// panels continues the chains of the region by the steps [k, k+len(panel)): rows holds them for
// the rows i0… of the region.
func (t region) panels(c []float32, ldc int, rows []float32, lda int, b operand, k int, panel [][panelCols]float32, load bool) {
	m := t.i1 - t.i0
	for j := t.j0; j < t.j1; j += panelCols {
		w := min(panelCols, t.j1-j)
		b.panel(panel, j, w, k)
		dst := c[t.i0*ldc+j:]
		if w == panelCols {
			panelRows(dst, ldc, rows, lda, m, panel, load)
		} else {
			narrowRows(dst, ldc, rows, lda, m, w, panel, load)
		}
	}
}

// bias adds bias[j] to every row of the region; nil adds nothing.
func (t region) bias(c []float32, ldc int, bias []float32) {
	if bias == nil {
		return
	}
	add := bias[t.j0:t.j1]
	for i := t.i0; i < t.i1; i++ {
		row := c[i*ldc+t.j0:][:len(add)]
		for j, v := range add {
			row[j] += v
		}
	}
}

// clear stores +0, the value of an empty chain.
func (t region) clear(c []float32, ldc int) {
	for i := t.i0; i < t.i1; i++ {
		clear(c[i*ldc+t.j0 : i*ldc+t.j1])
	}
}
