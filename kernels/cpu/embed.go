package cpu

// Embed is x[r] = table[ids[r]] (+ pos[positions[r]]): table [V,C], x [R,C]. pos, a learned position table,
// may be nil; positions nil means r mod T.
func Embed(p Par, x, table, pos []float32, ids, positions []int32, R, T, C int) {
	EmbedOf(p, F32(x), F32(table), F32(pos), ids, positions, R, T, C)
}

// EmbedOf is [Embed] of operands as they are stored; a sum is rounded to the type of x. The zero pos is none.
func EmbedOf(p Par, x, table, pos Matrix, ids, positions []int32, R, T, C int) {
	type args struct {
		u              ISA
		x, table, pos  Matrix
		ids, positions []int32
		T, C           int
	}
	each(p, R, rowGrain(C), args{isa(p), x, table, pos, ids, positions, T, C}, func(t *args, lo, hi, _ int) {
		for r := lo; r < hi; r++ {
			for c := 0; c < t.C; c += strip {
				var sum, buf [strip]float32
				n := min(strip, t.C-c)
				v := t.table.row(t.u, sum[:], int(t.ids[r])*t.C+c, n)
				if !t.pos.none() {
					t.u.addRow(sum[:n], v, t.pos.row(t.u, buf[:], position(t.positions, r, t.T)*t.C+c, n))
					v = sum[:n]
				}
				t.x.store(t.u, r*t.C+c, v)
			}
		}
	})
}

// position is the position of row r in its sequence.
func position(positions []int32, r, T int) int {
	if positions == nil {
		return r % T
	}
	return int(positions[r])
}

// EmbedGrad is the VJP of [Embed] for a table no other operation writes: dtable[ids[r]] += dx[r], rows in
// token order; without acc the table [V,C] is cleared first.
func EmbedGrad(p Par, dtable, dx []float32, ids []int32, R, V, C int, acc bool) {
	scatter(p, dtable, dx, ids, R, R, V, C, acc)
}

// EmbedRows is [EmbedGrad] into a compact buffer [rows,C] for a table that another operation writes as
// well: compact[row[r]] += dx[r], token order; row[r] = -1 is padding and skipped.
func EmbedRows(p Par, compact, dx []float32, row []int32, R, C, rows int, acc bool) {
	scatter(p, compact, dx, row, R, R, rows, C, acc)
}

// PosGrad is the VJP of [Embed] for the position table: dpos[positions[r]] += dx[r], token order; without
// acc all rows of dpos [rows,C] are cleared first.
func PosGrad(p Par, dpos, dx []float32, positions []int32, R, T, C, rows int, acc bool) {
	scatter(p, dpos, dx, positions, R, T, rows, C, acc)
}

// scatter adds the rows of dx to the rows of sum that position names (negative: none), in order, so that every element
// is a chain over the rows. Workers own columns.
func scatter(p Par, sum, dx []float32, positions []int32, R, T, rows, C int, acc bool) {
	type args struct {
		u         ISA
		sum, dx   []float32
		positions []int32
		R, T, C   int
	}
	if !acc {
		zero(p, sum[:rows*C])
	}
	each(p, C, columnGrain(R), args{isa(p), sum, dx, positions, R, T, C}, func(t *args, lo, hi, _ int) {
		for r := range t.R {
			to := position(t.positions, r, t.T)
			if to < 0 {
				continue
			}
			dst := t.sum[to*t.C+lo : to*t.C+hi]
			t.u.addRow(dst, dst, t.dx[r*t.C+lo:r*t.C+hi])
		}
	})
}

// zero clears x. Workers own ranges: a long run of bytes is cleared several times as fast as many short ones.
func zero(p Par, x []float32) {
	type args struct{ x []float32 }
	each(p, len(x), elementGrain, args{x}, func(t *args, lo, hi, _ int) { clear(t.x[lo:hi]) })
}

// EmbedAdd adds the compact buffer to the gradient of the table once a window:
// dtable[ids[j]] += compact[j] for j < n; ids[j] = -1 ends the list.
func EmbedAdd(p Par, dtable, compact []float32, ids []int32, n, C int) {
	for j, id := range ids[:n] {
		if id < 0 {
			n = j
			break
		}
	}
	type args struct {
		u               ISA
		dtable, compact []float32
		ids             []int32
		C               int
	}
	each(p, C, columnGrain(n), args{isa(p), dtable, compact, ids[:n], C}, func(t *args, lo, hi, _ int) {
		for j, id := range t.ids {
			dst := t.dtable[int(id)*t.C+lo : int(id)*t.C+hi]
			t.u.addRow(dst, dst, t.compact[j*t.C+lo:j*t.C+hi])
		}
	})
}
