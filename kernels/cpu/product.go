package cpu

// Cache blocks of the products. They change speed, never bits.
const (
	blockK    = 256 // steps of k a panel holds: 3 KiB, with two rows of a in the first-level cache
	blockRows = 256 // rows of c a task covers: with blockK, 256 KiB of a in the second-level cache
	flipK     = 128 // steps of k of a transposed block of a
	flipRows  = 64  // rows of a transposed block: 32 KiB of stack
)

// operand is one matrix of a product. With across false its k runs along a row (element (i,k) is
// data[i*ld+k]), with across true down a column (data[k*ld+i]).
type operand struct {
	data   []float32
	ld     int
	across bool
}

// product computes c[i,j] = chain over k of a(i,k)*b(j,k), i < M, j < N, k < K, continuing from c
// when acc, and adds bias[j] once at the end when bias is not nil. c is dense [M,N].
//
// A task is one panel of three columns by one block of rows, so workers share nothing.
func product(p Par, c []float32, a, b operand, bias []float32, M, N, K int, acc bool) {
	if M <= 0 || N <= 0 {
		return
	}
	if u := isa(p); u != Go && K > 0 {
		packed{u: u, c: c, a: a, b: b, bias: bias, M: M, N: N, K: K, acc: acc}.run(p)
		return
	}
	rows := blockRows
	if a.across {
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
			if t.a.across {
				g.flipped(t.c, t.N, t.a, t.b, t.K, t.acc)
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
		t.panels(c, ldc, a.data[t.i0*a.ld+k:], a.ld, b, k, panel[:n], acc || k > 0)
	}
}

// flipped computes the region with a transposed block by block into a buffer whose rows run along k.
func (t region) flipped(c []float32, ldc int, a, b operand, K int, acc bool) {
	var panel [flipK][panelCols]float32
	var buf [flipRows * flipK]float32
	if K == 0 && !acc {
		t.clear(c, ldc)
	}
	m := t.i1 - t.i0
	for k := 0; k < K; k += flipK {
		n := min(flipK, K-k)
		for kk := range n {
			src := a.data[(k+kk)*a.ld+t.i0:][:m]
			for i, v := range src {
				buf[i*flipK+kk] = v
			}
		}
		t.panels(c, ldc, buf[:], flipK, b, k, panel[:n], acc || k > 0)
	}
}

// panels continues the chains of the region by the steps [k, k+len(panel)): rows holds them for
// the rows i0… of the region.
func (t region) panels(c []float32, ldc int, rows []float32, lda int, b operand, k int, panel [][panelCols]float32, load bool) {
	m := t.i1 - t.i0
	for j := t.j0; j < t.j1; j += panelCols {
		w := min(panelCols, t.j1-j)
		if b.across {
			packCols(panel, b.data[k*b.ld+j:], b.ld, w)
		} else {
			packRows(panel, b.data[j*b.ld+k:], b.ld, w)
		}
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
