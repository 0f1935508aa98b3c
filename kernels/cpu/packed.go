package cpu

// Cache blocks of the packed products. They change speed, never bits.
const (
	depth = 256 // steps of k of a block: a panel of a is 8 KiB, a quarter of a first-level cache
	wide  = 384 // columns of a block of b, a multiple of both tile widths: 384 KiB with depth
	tall  = 48  // rows of a block of a, a multiple of both tile heights
	unit  = 8   // floats of a panel of a for one k: the tile's rows, padded
)

// ScratchLen is the number of float32 that a worker of a packed product needs for one block of each operand. Elementwise
// kernels of 16-bit matrices use less of it, in plain Go as well.
//
// A Par that has a method Scratch(worker int) []float32 is asked for that much, for every worker; for another the
// products allocate it on every call. What it holds between two calls is of no meaning.
const ScratchLen = depth*wide + tall/6*unit*depth

// memory returns n floats for a worker, n <= ScratchLen.
func memory(p Par, worker, n int) []float32 {
	if v, ok := p.(interface{ Scratch(worker int) []float32 }); ok {
		return v.Scratch(worker)[:n]
	}
	return make([]float32, n)
}

// packed is a product on vector registers: the same chains as those of product, with one rounding a step.
//
// A worker has a rectangle of c. It goes over blocks of columns, in them over blocks of k, packs that block of b, and
// then, block of rows by block of rows, packs a and runs the register tile over all panels. The tile loads the
// chains it goes on with and stores them again.
type packed struct {
	u          ISA
	c          []float32
	a, b       operand
	bias       []float32
	M, N, K    int
	acc        bool
	end        epilogue
	mr, nr, kc int
	pairs      bool // K, kc and all k count words of two steps
	steps      int  // K as it was; when it is odd, the last word has one step
}

// tile is the shape of the register tile.
func (u ISA) tileShape() (rows, cols int) {
	if u >= AVX512 {
		return 8, 48
	}
	return 6, 16
}

// run computes the product on the workers of p.
func (t packed) run(p Par) {
	t.mr, t.nr = t.u.tileShape()
	if t.pairs = t.u == AVX512BF16 && t.a.brief() && t.b.brief(); t.pairs {
		t.steps, t.K = t.K, (t.K+1)/2
	}
	blocks := max(1, (t.K+depth-1)/depth)
	t.kc = min(depth, (t.K+blocks*8-1)/(blocks*8)*8)
	gm, gn := t.grid(p.Workers())
	mp, np := (t.M+t.mr-1)/t.mr, (t.N+t.nr-1)/t.nr
	type args struct {
		packed
		p              Par
		gm, gn, mp, np int
	}
	each(p, gm*gn, 1, args{t, p, gm, gn, mp, np}, func(t *args, lo, hi, worker int) {
		for g := lo; g < hi; g++ {
			i, j := g/t.gn, g%t.gn
			t.piece(t.p, worker, i*t.mp/t.gm*t.mr, min(t.M, (i+1)*t.mp/t.gm*t.mr), j*t.np/t.gn*t.nr, min(t.N, (j+1)*t.np/t.gn*t.nr))
		}
	})
}

// grid cuts c into gm by gn rectangles: the cut of which a worker's share costs least, where an element of a packed
// block costs as much as five multiply-adds on every lane. A finer cut within a few hundredths of it is taken, so that a
// worker that is held up is helped by the others.
func (t *packed) grid(workers int) (gm, gn int) {
	const smallest = 1 << 16 // multiply-adds worth a dispatch, on every lane
	work := max(1, t.M*t.N/256*t.K/(smallest/256))
	best := 0
	gm, gn = 1, 1
	for pieces := min(workers, work); pieces <= min(4*workers, work/64); pieces += workers {
		cost, m, n := t.cut(pieces, workers)
		if best == 0 || cost <= best+best/32 {
			gm, gn = m, n
		}
		if best == 0 || cost < best {
			best = cost
		}
	}
	if best == 0 {
		_, gm, gn = t.cut(min(workers, work), workers)
	}
	return gm, gn
}

// cut finds the cheapest cut into at most that many rectangles.
func (t *packed) cut(pieces, workers int) (best, gm, gn int) {
	const pack = 5
	mp, np := (t.M+t.mr-1)/t.mr, (t.N+t.nr-1)/t.nr
	for n := 1; n <= min(pieces, np); n++ {
		m := max(1, min(pieces/n, mp))
		rows, cols := (mp+m-1)/m*t.mr, (np+n-1)/n*t.nr
		cost := (rows*cols + pack*(rows*((cols+wide-1)/wide)+cols)) * ((m*n + workers - 1) / workers)
		if gm == 0 || cost < best {
			best, gm, gn = cost, m, n
		}
	}
	return best, gm, gn
}

// piece computes the rectangle [i0,i1) × [j0,j1) of c.
func (t *packed) piece(p Par, worker, i0, i1, j0, j1 int) {
	if i0 >= i1 || j0 >= j1 {
		return
	}
	width := min(wide, (j1-j0+t.nr-1)/t.nr*t.nr)
	panels := (min(tall, i1-i0) + t.mr - 1) / t.mr
	mem := memory(p, worker, t.kc*(width+panels*unit))
	b, a := mem[:t.kc*width], mem[t.kc*width:]
	for j := j0; j < j1; j += wide {
		je := min(j1, j+wide)
		for k := 0; k < t.K; k += t.kc {
			ke := min(t.K, k+t.kc)
			t.packB(b, j, je, k, ke)
			ahead := [2]ahead{t.next(j, je, j1, k, (i1-i0+t.mr-1)/t.mr*((je-j+t.nr-1)/t.nr))}
			for i := i0; i < i1; i += tall {
				ie := min(i1, i+tall)
				t.packA(a, i, ie, k, ke)
				ahead[1] = t.below(ie, i1, k, ke, (ie-i+t.mr-1)/t.mr*((je-j+t.nr-1)/t.nr))
				t.tiles(a, b, i, ie, j, je, k, ke, &ahead)
				for r := i; r < ie && ke == t.K && !t.end.empty(); r++ {
					t.end.row(t.u, t.c[r*t.N+j:r*t.N+je], r*t.N+j)
				}
			}
		}
	}
}

// ahead is a block that is packed next, as rows in memory, and how it is brought nearer meanwhile: each rows at a
// time. Operands seldom are in a near cache, and packing cannot hide the wait for memory.
type ahead struct {
	of         *operand
	at, ld, n  int // first element, stride and length of the rows
	rows, each int
}

// come brings some rows nearer.
func (h *ahead) come(u ISA) {
	if m := min(h.each, h.rows); m > 0 {
		h.of.prefetch(u, h.at, m, h.n)
		h.at, h.rows = h.at+m*h.ld, h.rows-m
	}
}

// block is the block of the rows [i,ie) of an operand and n steps from k on, to be brought nearer in that many parts.
func (t *packed) block(o *operand, i, ie, k, n, parts int) ahead {
	if t.pairs {
		k, n = 2*k, min(2*n, t.steps-2*k)
	}
	h := ahead{of: o, at: k*o.ld + i, ld: o.ld, n: ie - i, rows: n}
	if !o.across {
		h = ahead{of: o, at: i*o.ld + k, ld: o.ld, n: n, rows: ie - i}
	}
	h.each = (h.rows + parts - 1) / parts
	return h
}

// below is the block of a under the row i.
func (t *packed) below(i, i1, k, ke, parts int) ahead {
	if i >= i1 {
		return ahead{}
	}
	return t.block(&t.a, i, min(i1, i+tall), k, ke-k, parts)
}

// next is the block of b after the columns [j,je) and the step k, to be brought nearer in that many parts.
func (t *packed) next(j, je, j1, k, parts int) ahead {
	k += t.kc
	if k >= t.K {
		k, j, je = 0, je, min(j1, je+wide)
	}
	if j >= j1 {
		return ahead{}
	}
	return t.block(&t.b, j, je, k, min(t.kc, t.K-k), parts)
}

// packB packs the columns [j,je) and steps [k,ke) of b: panels of nr columns, a row of the panel for each step.
func (t *packed) packB(dst []float32, j, je, k, ke int) {
	if t.pairs {
		t.pairB(dst, j, je, k, ke)
		return
	}
	n := ke - k
	for ; j < je; j, dst = j+t.nr, dst[min(len(dst), n*t.nr):] {
		w := min(t.nr, je-j)
		if t.b.across {
			t.b.copyRows(t.u, dst, t.nr, k*t.b.ld+j, n, w)
			continue
		}
		for g := 0; g < w; g += unit {
			t.b.flip(t.u, dst[g:], t.nr, (j+g)*t.b.ld+k, min(unit, w-g), n)
		}
	}
}

// packA packs the rows [i,ie) and steps [k,ke) of a: panels of mr rows, a unit for each step.
func (t *packed) packA(dst []float32, i, ie, k, ke int) {
	if t.pairs {
		t.pairA(dst, i, ie, k, ke)
		return
	}
	n := ke - k
	if t.a.across {
		whole := 0
		for q := i; q+unit <= t.M && q+t.mr <= ie; q += t.mr {
			whole++
		}
		if whole > 0 {
			t.a.copyPanels(t.u, dst, n*unit, k*t.a.ld+i, n, whole, t.mr)
		}
		i, dst = i+whole*t.mr, dst[whole*n*unit:]
	}
	for ; i < ie; i, dst = i+t.mr, dst[n*unit:] {
		m := min(t.mr, ie-i)
		if t.a.across {
			t.a.copyRows(t.u, dst, unit, k*t.a.ld+i, n, m)
		} else {
			t.a.flip(t.u, dst, unit, i*t.a.ld+k, m, n)
		}
	}
}

// ahead brings the tile of c after the one that ends before column j nearer: it is loaded or written at once when its turn comes.
func (t *packed) ahead(i, j, m, i1, j0, j1 int) {
	if j >= j1 {
		i, j = i+m, j0
	}
	if i < i1 {
		t.u.prefetch(&t.c[i*t.N+j], t.N, min(t.mr, i1-i), min(t.nr, j1-j))
	}
}

// tiles runs the register tile over packed blocks.
func (t *packed) tiles(a, b []float32, i0, i1, j0, j1, k, ke int, next *[2]ahead) {
	n := ke - k
	load, last := 0, ke == t.K && t.bias != nil
	if t.acc || k > 0 {
		load = 1
	}
	for i := i0; i < i1; i += t.mr {
		m := min(t.mr, i1-i)
		for j := j0; j < j1; j += t.nr {
			var bias *float32
			if last {
				bias = &t.bias[j]
			}
			w := min(t.nr, j1-j)
			t.ahead(i, j+w, m, i1, j0, j1)
			for h := range next {
				next[h].come(t.u)
			}
			x, y, z := &a[(i-i0)/t.mr*n*unit], &b[(j-j0)*n], &t.c[i*t.N+j]
			if t.pairs {
				t.u.tilePairs(x, 1, unit, y, t.nr, z, t.N, m, w, n, load, bias)
			} else {
				t.u.tile(x, 1, unit, y, t.nr, z, t.N, m, w, n, load, bias)
			}
		}
	}
}
