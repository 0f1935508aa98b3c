package check

import (
	"fmt"
	"slices"
)

var attnDocs = Rule{
	ID: "attn.docs", Title: "packed documents do not see each other",
	Formula: "packing ⇒ (visible(i, j) ⇒ doc(i) = doc(j)), unless mask.packing.crossAttention",
	Doc:     `With mask.packing.mode "segments" the documents of a row must not see each other, unless crossAttention allows it. A back end can keep them apart by a mask or by their lengths. Restarting the positions of each document changes their encoding and hides nothing: it is a separate field (mask.packing.positions) for that reason. pipeline.attention.documents, the lengths of a typical row, puts numbers to it.`,
	Spec: func(in *Input) []Finding {
		return attention(in).apart()
	},
}

func (a *attending) apart() (fs []Finding) {
	p := &a.in.Experiment.Mask.Packing
	if p.Mode != "segments" || p.CrossAttention != nil && *p.CrossAttention {
		return nil
	}
	for i := range a.Backends {
		b := &a.Backends[i]
		why := ""
		switch b.Separates {
		case "positions":
			why = "positions that restart do not hide keys"
		case "nothing":
			why = "it does not know where a document ends"
		default:
			if f := a.misread(i); f != nil {
				fs = append(fs, *f)
			}
			continue
		}
		fs = append(fs, Finding{Field: fmt.Sprintf("pipeline.attention.backends.%d.separates", i), Related: []string{"mask.packing.mode", "mask.packing.positions"},
			Help:    "use a back end that takes a mask or the lengths of the documents, or put one document in a row",
			Summary: fmt.Sprintf("back end %s lets documents of a row see each other: %s; %s", b.Name, why, a.leak())})
	}
	return fs
}

// leak says how many rows see keys of another document.
func (a *attending) leak() string {
	docs, of := a.Documents, "in the row of documents given"
	if len(docs) == 0 {
		docs, of = []int64{1, 1}, "with two documents of equal length"
	}
	v := a.wanted(0)
	total, start := int64(0), int64(0)
	for _, n := range docs {
		total += n
	}
	rows, pairs, right := int64(0), int64(0), int64(0)
	for _, n := range docs {
		for i := start; i < start+n; i++ {
			lo, hi := v.row(i, total, total)
			dlo, dhi := max(lo, start), min(hi, start+n-1)
			pairs, right = pairs+keysIn(lo, hi), right+keysIn(dlo, dhi)
			if lo < dlo || hi > dhi {
				rows++
			}
		}
		start += n
	}
	share := 100 * float64(rows) / float64(total)
	if len(a.Documents) == 0 {
		return fmt.Sprintf("%s in %.4g %% of the positions", of, share)
	}
	return fmt.Sprintf("%s, %d of %d positions (%.4g %%) do, with %d pairs of query and key instead of %d", of, rows, total, share, pairs, right)
}

// misread finds a back end that is given other documents than there are.
func (a *attending) misread(i int) *Finding {
	b := &a.Backends[i]
	if b.Lengths == nil || len(a.Documents) == 0 || slices.Equal(b.Lengths, a.Documents) {
		return nil
	}
	of := func(lengths []int64) (starts []int64) {
		start := int64(0)
		for _, n := range lengths {
			for range n {
				starts = append(starts, start)
			}
			start += n
		}
		return starts
	}
	want, got := of(a.Documents), of(b.Lengths)
	wrong, first := 0, -1
	for t := range want {
		if t >= len(got) || got[t] != want[t] {
			wrong++
			if first < 0 {
				first = t
			}
		}
	}
	f := &Finding{Field: fmt.Sprintf("pipeline.attention.backends.%d.lengths", i), Related: []string{"pipeline.attention.documents"}, Help: "give it the lengths of the documents as they are in the row",
		Summary: fmt.Sprintf("back end %s is given documents of %v, the row has %v", b.Name, b.Lengths, a.Documents)}
	switch {
	case first >= 0 && first >= len(got):
		f.Summary += fmt.Sprintf(": it covers %d of %d positions", len(got), len(want))
	case first >= 0:
		f.Summary += fmt.Sprintf(": %d of %d positions see other keys, the first is %d", wrong, len(want), first)
	default:
		f.Summary += fmt.Sprintf(": %d positions too many", len(got)-len(want))
	}
	return f
}
