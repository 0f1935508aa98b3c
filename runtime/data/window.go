package data

import (
	"fmt"

	"github.com/gradcue/gradcue/compiler/loss"
)

// Cursor is the next row to be read: Row of the order of Epoch, both from 0. It
// counts rows, not windows or micro-batches.
type Cursor struct {
	Epoch int `json:"epoch"`
	Row   int `json:"row"`
}

// At is the cursor after n rows from the start when every row is used, as with
// the policy carry.
func (s *Source) At(n int) Cursor { return Cursor{n / len(s.rows), n % len(s.rows)} }

// Check refuses a cursor that is not a place in the rows.
func (s *Source) Check(c Cursor) error {
	if c.Epoch < 0 || c.Row < 0 || c.Row > len(s.rows) {
		return fmt.Errorf("epoch %d, row %d is not a place in an epoch of %d rows", c.Epoch, c.Row, len(s.rows))
	}
	return nil
}

// Window reads the rows of the window that starts at c and the cursor of the
// next one. What happens at the end of an epoch that is not the end of a window:
// carry goes on with the next epoch, drop skips the rest, flush fills the window
// with rows of padding.
func (s *Source) Window(c Cursor) ([]loss.Row, Cursor, error) {
	if err := s.Check(c); err != nil {
		return nil, c, err
	}
	n, want := len(s.rows), s.o.Rows
	if c.Row == n || s.o.Last == "drop" && n-c.Row < want {
		c = Cursor{Epoch: c.Epoch + 1}
	}
	rows := make([]loss.Row, 0, want)
	for len(rows) < want {
		if c.Row == n {
			if s.o.Last == "flush" {
				break
			}
			c = Cursor{Epoch: c.Epoch + 1}
		}
		rows = append(rows, s.row(s.index(c)))
		c.Row++
	}
	for len(rows) < want {
		rows = append(rows, emptyRow(s.o.T))
	}
	if c.Row == n {
		c = Cursor{Epoch: c.Epoch + 1}
	}
	return rows, c, nil
}

// First reads up to the given number of rows in the order of the files.
func (s *Source) First(rows int) []loss.Row {
	var out []loss.Row
	for i := range min(rows, len(s.rows)) {
		out = append(out, s.row(i))
	}
	return out
}

// index is which row of the files stands at a place of an epoch.
func (s *Source) index(c Cursor) int {
	if s.o.Data.Order != "shuffle" {
		return c.Row
	}
	if s.epoch != c.Epoch {
		s.order, s.epoch = permutation(len(s.rows), s.o.Seed, c.Epoch), c.Epoch
	}
	return int(s.order[c.Row])
}
