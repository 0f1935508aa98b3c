package cpu

// The products of attention on vector registers. The left operand is read in place, transposed where needed, the
// right one through a panel of packed columns in the worker's scratch memory, as wide as the register tile.

// panelLen is the scratch memory of these products: one panel of the deepest block.
const panelLen = depth * 48

// panelWidth is the width of the panels that n columns are cut into: a multiple of 16, at most that of the tile.
func (u ISA) panelWidth(n int) int {
	_, most := u.tileShape()
	panels := (n + most - 1) / most
	return ((n+panels-1)/panels + 15) &^ 15
}

// vecScores is scores on vector registers.
func (s heads) vecScores(c []float32, ld int, q, k rows, i0, i1, a, z int) {
	mr, _ := s.u.tileShape()
	nr := s.u.panelWidth(z - a)
	for j := a; j < z; j += nr {
		w, from := min(nr, z-j), max(i0, j)
		for d := 0; d < s.D; d += depth {
			n := min(depth, s.D-d)
			for g := 0; g < w; g += unit {
				flip(s.u, s.mem[g:], nr, k.data[(j+g)*k.ld+d:], k.ld, min(unit, w-g), n)
			}
			for i := from; i < i1; i += mr {
				s.u.tile(&q.data[i*q.ld+d], q.ld, 1, &s.mem[0], nr, &c[(i-i0)*ld+j-a], ld, min(mr, i1-i), w, n, min(d, 1), nil)
			}
		}
	}
}

// vecSoftmax is softmax on vector registers. What lies before the first visible key in its group of 16 is set so that its
// exponential is +0: a key keeps its lane wherever the row begins.
func (s heads) vecSoftmax(row []float32, f, e, z int, top, sum *float32) (factor float32) {
	seen, scale := row[f:e], s.scale
	if !(scale > 0) {
		s.u.scaleRow(seen, scale)
		scale = 1
	}
	m := s.u.maxScaled(seen, scale, *top)
	for j := f &^ 15; j < f; j++ {
		row[j] = negInf
	}
	part := s.u.expSum(row[f&^15:e], scale, m)
	clear(row[:f])
	clear(row[e:z])
	factor = 1
	if m > *top && *sum != 0 {
		factor = exp(*top - m)
	}
	*sum = float32(*sum*factor) + part
	*top = m
	return factor
}

// vecWeigh is weigh on vector registers.
func (s heads) vecWeigh(o rows, P []float32, ld int, v rows, i0, i1, a, z int, load bool) {
	mr, _ := s.u.tileShape()
	width := s.u.panelWidth(s.D)
	for j := a; j < z; j += depth {
		n := min(depth, z-j)
		from, on := i0, 0
		if j > a || load {
			from, on = max(i0, j), 1 // the queries before have ended, and their chain has begun
		}
		for d := 0; d < s.D; d += width {
			w := min(width, s.D-d)
			s.u.copyRows(&s.mem[0], width, &v.data[j*v.ld+d], v.ld, n, w)
			for i := from; i < i1; i += mr {
				m := min(mr, i1-i)
				seen := max(0, min(n, i+m-j))
				s.u.tile(&P[(i-i0)*ld+j-a], ld, 1, &s.mem[0], width, &o.data[i*o.ld+d], o.ld, m, w, seen, on, nil)
			}
		}
	}
}

// vecTransposed is transposed on vector registers; A holds a row for each query, gradStride apart.
func (t *gradBlock) vecTransposed(dst rows, A []float32, src rows) {
	mr, _ := t.u.tileShape()
	width := t.u.panelWidth(t.D)
	n := t.i1 - t.i0
	for d := 0; d < t.D; d += width {
		w := min(width, t.D-d)
		t.u.copyRows(&t.mem[0], width, &src.data[t.i0*src.ld+d], src.ld, n, w)
		for j := t.a; j < t.z; j += mr {
			skip := max(0, j-t.i0)
			if skip >= n {
				break
			}
			t.u.tile(&A[skip*gradStride+j-t.a], 1, gradStride, &t.mem[skip*width], width,
				&dst.data[j*dst.ld+d], dst.ld, min(mr, t.z-j), w, n-skip, 1, nil)
		}
	}
}

// vecProbabilities turns the scores into dS, in place, and stores P; both are exact zeros where a query sees nothing.
func (t *gradBlock) vecProbabilities() {
	n := t.z - t.a
	for i := t.i0; i < t.i1; i++ {
		r := i - t.i0
		row, dp, prob := t.S[r*gradStride:][:n], t.dP[r*gradStride:][:n], t.Pt[r*gradStride:][:n]
		f, e := max(t.first(t.b, i), t.a)-t.a, min(i+1, t.z)-t.a
		if f >= e {
			clear(row)
			clear(prob)
			continue
		}
		t.u.scoreGrad(row[f:e], dp[f:e], prob[f:e], t.scale, t.normaliser[r], t.delta[r])
		clear(row[:f])
		clear(row[e:])
		clear(prob[:f])
		clear(prob[e:])
	}
}
