package check

import (
	"fmt"
	"slices"

	"github.com/gradcue/gradcue/compiler/loss"
	"github.com/gradcue/gradcue/spec/shape"
)

var maskPad = Rule{
	ID: "mask.pad", Title: "padding is not mistaken for text", Formula: "masking by id ⇒ pad ∉ content ∪ {eos, bos, template}; else by length and side",
	Doc: "Comparing with the pad id finds padding only if nothing else has that id. Where the pad id is also the end token, every end of a sample is ignored and the model never learns to stop. A run of pads at the end of a row is not there when rows are padded on the left, and a pad id of 0 is an id, not the absence of one. Lengths always work.",
	Spec: func(in *Input) []Finding {
		p := in.pipeline()
		pad, field := &p.mask.Padding, "pipeline.mask.padding.foundBy"
		help := "find padding by the length of the sample"
		switch {
		case pad.FoundBy == "nothing":
			return []Finding{{Field: field, Summary: "padding is not masked: padded positions are treated like text" + in.padded(), Help: help}}
		case pad.FoundBy == "trailing id" && pad.Side == "left":
			return []Finding{{Field: field, Related: []string{"pipeline.mask.padding.side"}, Help: help,
				Summary: "padding is looked for at the end of rows, but rows are padded on the left: all pads are attended to" + in.padded()}}
		case pad.ZeroIsAbsent && p.data.IDs.Pad != nil && *p.data.IDs.Pad == 0:
			return []Finding{{Field: "pipeline.mask.padding.zeroIsAbsent", Related: []string{"pipeline.data.ids.pad"}, Help: "test whether there is a pad id, not whether it is true",
				Summary: "pad id 0 is taken for no pad id: pads are not found" + in.padded()}}
		case pad.FoundBy != "id" && pad.FoundBy != "trailing id":
			return nil
		case p.data.IDs.Pad == nil:
			return []Finding{{Field: field, Help: "state pipeline.data.ids.pad and eos, or find padding by length",
				Summary: "padding is found by its id, but pipeline.data.ids.pad is not stated, so it cannot be told from text"}}
		}
		also := in.alsoUsed(*p.data.IDs.Pad, pad.FoundBy == "id")
		if len(also) == 0 {
			return nil
		}
		f := Finding{Field: "pipeline.data.ids.pad", Related: []string{field}, Help: "find padding by length, or use a pad id of its own"}
		f.Summary = fmt.Sprintf("pad id %d is also %s, and padding is found by id: ", *p.data.IDs.Pad, list(also)) + in.lost(*p.data.IDs.Pad, "real targets would be ignored")
		return []Finding{f}
	},
	Data: func(in *Input) []Finding {
		p := in.pipeline()
		if p.mask.Padding.FoundBy != "id" || p.data.IDs.Pad == nil {
			return nil
		}
		if n := in.Sample.content(*p.data.IDs.Pad); n == 0 {
			return nil
		}
		return []Finding{{Field: "pipeline.data.ids.pad", Related: []string{"pipeline.mask.padding.foundBy"}, Help: "find padding by length, or use a pad id of its own",
			Summary: fmt.Sprintf("pad id %d occurs in the text, and padding is found by id: ", *p.data.IDs.Pad) + in.lost(*p.data.IDs.Pad, "real targets would be ignored")}}
	},
}

// alsoUsed says what else an id stands for. A run of pads at the end of a row
// takes in what stands right before it, but not the start or the template.
func (in *Input) alsoUsed(pad int64, anywhere bool) (also []string) {
	ids := in.pipeline().data.IDs
	if ids.EOS != nil && *ids.EOS == pad {
		also = append(also, "the end token")
	}
	if ids.BOS != nil && *ids.BOS == pad && anywhere {
		also = append(also, "the begin token")
	}
	if anywhere && (slices.Contains(ids.Template, pad) || slices.Contains(in.pipeline().mask.Roles.Marker, pad)) {
		also = append(also, "part of the template")
	}
	return also
}

// lost counts real targets with an id in the sample.
func (in *Input) lost(id int64, what string) string {
	if in.Sample == nil {
		return what
	}
	lost, all := in.Sample.content(id), 0
	for _, r := range in.Sample.Rows {
		for t := 1; t < len(r.IDs); t++ {
			if r.Roles[t] != loss.Padding && r.Docs[t] == r.Docs[t-1] || r.Roles[t] == loss.EOS {
				all++
			}
		}
	}
	return fmt.Sprintf("%d of %d %s", lost, all, what)
}

// content counts positions behind the first of a row that have an id and are not padding.
func (s *Sample) content(id int64) (n int) {
	for _, r := range s.Rows {
		for t := 1; t < len(r.IDs); t++ {
			if r.Roles[t] != loss.Padding && int64(r.IDs[t]) == id {
				n++
			}
		}
	}
	return n
}

// padded says how many keys a last row attends, from the example window.
func (in *Input) padded() string {
	p := in.pipeline()
	for _, m := range p.window.Example {
		if real, all := unpadded(&m), positions(&m); all > real {
			return fmt.Sprintf(" (a row of %d attends %d keys, expected %d)", all, all, real)
		}
	}
	if most := p.mask.Padding.Most; most != nil && *most > 0 {
		t := in.Experiment.Window.SeqLen
		return fmt.Sprintf(" (a row of %d attends %d keys, expected %d)", t, t, max(0, t-*most))
	}
	return ""
}

func unpadded(m *shape.MicroBatch) int64 {
	if m.Unpadded != nil {
		return *m.Unpadded
	}
	return m.Targets
}

func positions(m *shape.MicroBatch) int64 {
	if m.Positions != nil {
		return *m.Positions
	}
	return unpadded(m)
}
