package loss

import "math"

// Role says what a token is; m is decided by the role of the target.
type Role uint8

// The roles.
const (
	Padding Role = iota
	Text         // plain text: trained like a response
	Prompt
	Response
	EOS
)

var roleNames = [...]string{"padding", "text", "prompt", "response", "eos"}

func (r Role) String() string { return roleNames[r] }

// Policy is the loss part of the spec.
type Policy struct {
	ShiftBy     string `json:"shiftBy"`     // loss, data
	Offset      int    `json:"offset"`      // 1; 0 is a no-shift control
	IgnoreIndex int    `json:"ignoreIndex"` // target of an untrained position
	Prompt      bool   `json:"prompt"`      // prompt tokens are trained
	Response    bool   `json:"response"`    // response tokens and plain text are trained
	EOS         string `json:"eos"`         // first, none, all
	Normalize   string `json:"normalize"`   // tokens, sequences, microbatch-mean
	CrossDocs   bool   `json:"crossDocs"`   // a document's last token may be asked for the next one's first
}

// Row is one sequence of T positions of a micro-batch.
type Row struct {
	IDs  []int32 // T ids, 0 where Role is Padding
	Next int32   // the id after the row, -1 when there is none (used when data shifts)
	// Roles and Docs describe each position; NextRole and NextDoc the id after the row.
	Roles    []Role
	Docs     []int32
	NextRole Role
	NextDoc  int32
}

// Window is a window's targets and weights, row by row in token order.
type Window struct {
	Targets [][]int32   // [row][T], IgnoreIndex where m = 0
	Weights [][]float32 // [row][T], m·w
	N       float64     // Σ weights, in f64 and token order
	Trained int         // Σ m
}

// Make computes targets, weights and N of a window given as rows, batch of them
// a micro-batch. Weights are 1 (tokens), 1/trained tokens of the sequence
// (sequences) or of the micro-batch (microbatch-mean); N is the number of
// tokens, sequences or micro-batches that train something.
func (p Policy) Make(rows []Row, batch int) Window {
	w := Window{Targets: make([][]int32, len(rows)), Weights: make([][]float32, len(rows))}
	counts := make([]int, len(rows))
	for i := range rows {
		w.Targets[i], w.Weights[i], counts[i] = p.row(&rows[i])
		w.Trained += counts[i]
	}
	for i := range rows {
		unit := 1
		switch p.Normalize {
		case "sequences":
			unit = counts[i]
		case "microbatch-mean":
			first := i / batch * batch
			unit = 0
			for _, c := range counts[first:min(first+batch, len(counts))] {
				unit += c
			}
		}
		for t, m := range w.Weights[i] {
			if m != 0 {
				w.Weights[i][t] = 1 / float32(unit)
				w.N += 1 / float64(unit)
			}
		}
	}
	if p.Normalize != "tokens" {
		w.N = math.Round(w.N) // a count of sequences or micro-batches
	}
	return w
}

// row decides target and m of each position of one sequence.
func (p Policy) row(r *Row) (targets []int32, m []float32, trained int) {
	n := len(r.IDs)
	targets, m = make([]int32, n), make([]float32, n)
	for t := range n {
		targets[t] = int32(p.IgnoreIndex)
		id, role, doc := r.at(t + p.Offset)
		if t+p.Offset >= n && p.ShiftBy == "loss" {
			continue // the loss shifts inside the row: nothing follows its last position
		}
		if r.Roles[t] == Padding || !p.trains(r, t, role) || (doc != r.Docs[t] && !p.CrossDocs) {
			continue
		}
		targets[t], m[t] = id, 1
		trained++
	}
	return targets, m, trained
}

// at is the token at position t, which may be the one before or after the row.
func (r *Row) at(t int) (id int32, role Role, doc int32) {
	if t >= 0 && t < len(r.IDs) {
		return r.IDs[t], r.Roles[t], r.Docs[t]
	}
	if t != len(r.IDs) || r.Next < 0 {
		return 0, Padding, -1
	}
	return r.Next, r.NextRole, r.NextDoc
}

func (p Policy) trains(r *Row, t int, target Role) bool {
	switch target {
	case Prompt:
		return p.Prompt
	case Text, Response:
		return p.Response
	case EOS:
		_, before, _ := r.at(t + p.Offset - 1) // with offset 0 the target is the position itself
		return p.EOS == "all" || p.EOS == "first" && before != EOS
	}
	return false
}
