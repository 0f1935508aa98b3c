package data

import (
	"sort"

	"github.com/gradcue/gradcue/compiler/loss"
)

// span is a piece [lo, hi) of the stream that lies in one row.
type span struct{ lo, hi int }

// pack cuts the documents that start at starts (ascending, the last entry is the
// end of the stream) into rows of at most T ids.
func pack(mode string, starts []int, T int) [][]span {
	var rows [][]span
	if mode == "concat" {
		end := starts[len(starts)-1]
		for lo := 0; lo < end; lo += T {
			rows = append(rows, []span{{lo, min(lo+T, end)}})
		}
		return rows
	}
	free := 0 // positions left in the last row
	for d := range len(starts) - 1 {
		for lo := starts[d]; lo < starts[d+1]; lo += T {
			s := span{lo, min(lo+T, starts[d+1])}
			n := s.hi - s.lo
			if mode == "segments" && n <= free {
				rows[len(rows)-1] = append(rows[len(rows)-1], s)
				free -= n
				continue
			}
			rows = append(rows, []span{s})
			free = T - n
		}
	}
	return rows
}

// row is row i of the files, before any order.
func (s *Source) row(i int) loss.Row {
	r := emptyRow(s.o.T)
	t, end := 0, 0
	for _, p := range s.rows[i] {
		for at := p.lo; at < p.hi; at++ {
			r.IDs[t], r.Roles[t], r.Docs[t] = s.token(at)
			t++
		}
		end = p.hi
	}
	// What follows the row: the next id of the stream, in the other modes only
	// inside the document that the row was cut from.
	if s.o.Loss.ShiftBy == "data" && t == s.o.T && end < s.ids.len() {
		if id, role, doc := s.token(end); s.o.Data.Packing == "concat" || doc == r.Docs[t-1] {
			r.Next, r.NextRole, r.NextDoc = id, role, doc
		}
	}
	return r
}

// token is the id at an offset of the stream with its role and document.
func (s *Source) token(at int) (id int32, role loss.Role, doc int32) {
	id, role = s.ids.at(at), loss.Text
	if end, ok := s.tok.EOS(); ok && id == end {
		role = loss.EOS
	}
	return id, role, int32(sort.SearchInts(s.starts, at+1) - 1)
}

// emptyRow is a row of padding.
func emptyRow(T int) loss.Row {
	r := loss.Row{IDs: make([]int32, T), Next: -1, Roles: make([]loss.Role, T), Docs: make([]int32, T), NextDoc: -1}
	for t := range r.Docs {
		r.Docs[t] = -1
	}
	return r
}
