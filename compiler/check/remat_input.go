package check

import (
	"fmt"
	"strings"

	"github.com/gradcue/gradcue/spec/shape"
)

var rematInput = Rule{
	ID: "remat.input", Title: "recompute lets gradients through, and one owner sets it",
	Formula: "reentrant ∧ trainable(segment) ≠ ∅ ⇒ ∃ input with a gradient; one value for each setting",
	Doc:     `The reentrant form of recompute runs the segment outside of the graph and makes gradients only if one of its inputs requires one. With frozen embeddings none does, and every parameter inside stays without a gradient, silently. Use the non-reentrant form, or make an input require gradients. Where several components configure recompute (the user, the trainer, a wrapper), the last call wins; two that disagree are refused. gradcue recomputes ops of its own graph, which has no such forms.`,
	Spec: func(in *Input) []Finding {
		r := recompute(in)
		fs := r.disagree()
		for i := range r.Segments {
			if f, ok := r.cutOff(i); ok {
				fs = append(fs, f)
			}
		}
		return fs
	},
}

// recomputing is the described recompute, with what its settings come to.
type recomputing struct {
	*shape.RecomputePipeline
	form        string // "" where settings disagree, so that a segment is not blamed as well
	randomState bool
	off         bool
}

func recompute(in *Input) *recomputing {
	r := &recomputing{part(in, func(p *shape.Pipeline) *shape.RecomputePipeline { return p.Recompute }), "non-reentrant", true, false}
	for _, s := range r.Settings {
		if s.Form != "" {
			r.form = s.Form
		}
		if s.RandomState != nil {
			r.randomState = *s.RandomState
		}
		if s.On != nil {
			r.off = !*s.On
		}
	}
	for _, f := range r.disagree() {
		switch {
		case strings.HasSuffix(f.Field, ".form"):
			r.form = ""
		case strings.HasSuffix(f.Field, ".randomState"):
			r.randomState = true
		case strings.HasSuffix(f.Field, ".on"):
			r.off = false
		}
	}
	return r
}

// disagree finds settings that a later call overwrites with another value.
func (r *recomputing) disagree() (fs []Finding) {
	flag := func(b *bool) string {
		if b == nil {
			return ""
		}
		return fmt.Sprint(*b)
	}
	for _, field := range []struct {
		name  string
		value func(*shape.RecomputeSetting) string
	}{
		{"on", func(s *shape.RecomputeSetting) string { return flag(s.On) }},
		{"form", func(s *shape.RecomputeSetting) string { return s.Form }},
		{"randomState", func(s *shape.RecomputeSetting) string { return flag(s.RandomState) }},
	} {
		first := -1
		for i := range r.Settings {
			v := field.value(&r.Settings[i])
			if v == "" {
				continue
			}
			if first < 0 {
				first = i
				continue
			}
			if was := field.value(&r.Settings[first]); was != v {
				at := func(i int) string { return fmt.Sprintf("pipeline.recompute.settings.%d.%s", i, field.name) }
				fs = append(fs, Finding{Field: at(i), Related: []string{at(first)}, Help: "set it in one place, and let the others pass it on",
					Summary: fmt.Sprintf("recompute is configured by %s and by %s: %s is %s, then %s, and the last one wins", r.Settings[first].By, r.Settings[i].By, field.name, was, v)})
				break
			}
		}
	}
	return fs
}

// formOf is the form of a segment, "" where that is not decided.
func (r *recomputing) formOf(s *shape.RecomputeSegment) string {
	if s.Form != "" {
		return s.Form
	}
	return r.form
}

// runsAgain reports whether anything of a segment is computed a second time.
func (r *recomputing) runsAgain(s *shape.RecomputeSegment) bool {
	return !r.off && (s.Needs == "any" || s.Needs == s.Mode) && s.KeepsShare != 1
}

// cutOff finds a reentrant segment without an input that carries gradients.
func (r *recomputing) cutOff(i int) (Finding, bool) {
	s := &r.Segments[i]
	if !r.runsAgain(s) || r.formOf(s) != "reentrant" || len(s.Inputs) == 0 || s.Trainable != nil && len(s.Trainable) == 0 {
		return Finding{}, false
	}
	var names []string
	for _, in := range s.Inputs {
		if in.Gradient {
			return Finding{}, false
		}
		names = append(names, in.Name)
	}
	who := "its parameters"
	if n := int64(len(s.Trainable)); n > 0 {
		who = fmt.Sprintf("0 of %s gets one (%s)", plural(times(n, s.Count), "trained parameter"), strings.Join(s.Trainable[:min(4, len(s.Trainable))], ", "))
	} else {
		who = "none of its parameters gets one"
	}
	field := fmt.Sprintf("pipeline.recompute.segments.%d", i)
	return Finding{Field: field + ".inputs", Related: []string{field + ".form", field + ".trainable"}, Help: "use the non-reentrant form, or make an input require gradients",
		Summary: fmt.Sprintf("segment %s is reentrant and no input of it (%s) carries a gradient: %s", s.Name, strings.Join(names, ", "), who)}, true
}
