package ref

// Embed is x[r] = table[ids[r]] (+ pos[positions[r]]); pos may be nil, positions nil means r mod T.
func Embed(x, table, pos []float64, ids, positions []int32, R, T, C int) {
	for r := range R {
		for c := range C {
			x[r*C+c] = table[int(ids[r])*C+c]
			if pos != nil {
				x[r*C+c] += pos[position(positions, r, T)*C+c]
			}
		}
	}
}

// position is the position of row r in its sequence.
func position(positions []int32, r, T int) int {
	if positions == nil {
		return r % T
	}
	return int(positions[r])
}

// EmbedGrad is dtable[ids[r]] += dx[r]; without acc the table [V,C] is cleared first.
func EmbedGrad(dtable, dx []float64, ids []int32, R, V, C int, acc bool) {
	EmbedRows(dtable, dx, ids, R, C, V, acc)
}

// EmbedRows is compact[row[r]] += dx[r] for rows with row[r] >= 0; without acc the buffer [rows,C] is cleared first.
func EmbedRows(compact, dx []float64, row []int32, R, C, rows int, acc bool) {
	start(compact[:rows*C], acc)
	for r := range R {
		if row[r] < 0 {
			continue
		}
		for c := range C {
			compact[int(row[r])*C+c] += dx[r*C+c]
		}
	}
}

// EmbedAdd is dtable[ids[j]] += compact[j] for j < n up to the first ids[j] = -1.
func EmbedAdd(dtable, compact []float64, ids []int32, n, C int) {
	for j := 0; j < n && ids[j] >= 0; j++ {
		for c := range C {
			dtable[int(ids[j])*C+c] += compact[j*C+c]
		}
	}
}

// PosGrad is dpos[positions[r]] += dx[r]; without acc all rows of dpos [rows,C] are cleared first.
func PosGrad(dpos, dx []float64, positions []int32, R, T, C, rows int, acc bool) {
	start(dpos[:rows*C], acc)
	for r := range R {
		for c := range C {
			dpos[position(positions, r, T)*C+c] += dx[r*C+c]
		}
	}
}
