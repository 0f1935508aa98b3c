package cpu

// Embed is x[r] = table[ids[r]] (+ pos[positions[r]]): table [V,C], x [R,C]. pos, a learned position table,
// may be nil; positions nil means r mod T.
func Embed(p Par, x, table, pos []float32, ids, positions []int32, R, T, C int) {
	u := isa(p)
	p.For(R, rowGrain(C), func(lo, hi, _ int) {
		for r := lo; r < hi; r++ {
			row, id := x[r*C:][:C], int(ids[r])
			if pos == nil {
				copy(row, table[id*C:][:C])
				continue
			}
			u.addRow(row, table[id*C:][:C], pos[position(positions, r, T)*C:][:C])
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
	scatter(p, dtable, dx, R, V, C, acc, func(r int) int { return int(ids[r]) })
}

// EmbedRows is [EmbedGrad] into a compact buffer [rows,C] for a table that another operation writes as
// well: compact[row[r]] += dx[r], token order; row[r] = -1 is padding and skipped.
func EmbedRows(p Par, compact, dx []float32, row []int32, R, C, rows int, acc bool) {
	scatter(p, compact, dx, R, rows, C, acc, func(r int) int { return int(row[r]) })
}

// PosGrad is the VJP of [Embed] for the position table: dpos[positions[r]] += dx[r], token order; without
// acc all rows of dpos [rows,C] are cleared first.
func PosGrad(p Par, dpos, dx []float32, positions []int32, R, T, C, rows int, acc bool) {
	scatter(p, dpos, dx, R, rows, C, acc, func(r int) int { return position(positions, r, T) })
}

// scatter adds the rows of dx to the rows of sum that to names (negative: none), in order, so that
// every element is a chain over the rows. Workers own columns.
func scatter(p Par, sum, dx []float32, R, rows, C int, acc bool, to func(r int) int) {
	u := isa(p)
	p.For(C, columnGrain(R), func(lo, hi, _ int) {
		if !acc {
			for i := range rows {
				clear(sum[i*C+lo : i*C+hi])
			}
		}
		for r := range R {
			t := to(r)
			if t < 0 {
				continue
			}
			dst := sum[t*C+lo : t*C+hi]
			u.addRow(dst, dst, dx[r*C+lo:r*C+hi])
		}
	})
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
	u := isa(p)
	p.For(C, columnGrain(n), func(lo, hi, _ int) {
		for j, id := range ids[:n] {
			dst := dtable[int(id)*C+lo : int(id)*C+hi]
			u.addRow(dst, dst, compact[j*C+lo:j*C+hi])
		}
	})
}
