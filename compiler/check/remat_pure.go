package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gradcue/gradcue/spec/shape"
)

var rematPure = Rule{
	ID: "remat.pure", Title: "recompute has no side effects and happens once",
	Formula: "runs of an op in an update = 1 (kept) or 2 (recomputed); a write in a segment happens in its first run only",
	Doc:     `A segment that is run again must not add to a metric, a running statistic or a counter a second time, and must find whatever else it reads (autocast mode, caches) as it was. And it must be run again once: when a wrapper and the model both recompute it, or when segments lie in each other, its ops run three times or more. With a forward of one unit and a backward of two, that is 5 units instead of 4. acceptRepeats: true allows nesting that is meant. gradcue clones single ops, each at most once in a block.`,
	Spec: func(in *Input) (fs []Finding) {
		r := recompute(in)
		for i := range r.Segments {
			fs = append(fs, r.pure(i)...)
		}
		return fs
	},
}

// again is how often a segment is run again, by whom, and the name of a segment
// that is not there, or contains itself.
func (r *recomputing) again(s *shape.RecomputeSegment) (n int64, by []string, bad string) {
	var seen []string
	for {
		if slices.Contains(seen, s.Name) {
			return n, by, s.Name
		}
		seen = append(seen, s.Name)
		if r.runsAgain(s) {
			n += max(1, int64(len(s.By)))
			if len(s.By) == 0 {
				by = append(by, "segment "+s.Name)
			}
			by = append(by, s.By...)
		}
		if s.Inside == "" {
			return n, by, ""
		}
		k := slices.IndexFunc(r.Segments, func(o shape.RecomputeSegment) bool { return o.Name == s.Inside })
		if k < 0 {
			return n, by, s.Inside
		}
		s = &r.Segments[k]
	}
}

func (r *recomputing) pure(i int) (fs []Finding) {
	s := &r.Segments[i]
	field := fmt.Sprintf("pipeline.recompute.segments.%d", i)
	n, by, bad := r.again(s)
	if bad != "" {
		return []Finding{{Field: field + ".inside", Summary: fmt.Sprintf("segment %s is inside %s, which is no other segment here", s.Name, bad), Help: "name a segment of pipeline.recompute.segments that contains it"}}
	}
	if n > 1 && !s.AcceptRepeats {
		at := field + ".by"
		if s.Inside != "" {
			at = field + ".inside"
		}
		fs = append(fs, Finding{Field: at, Help: "let one of them recompute it, or accept it with acceptRepeats: true",
			Summary: fmt.Sprintf("segment %s is recomputed %d times (by %s): each of its ops runs %d times, %d units of work instead of 4 with a forward of 1 and a backward of 2, %.4g %% more",
				s.Name, n, strings.Join(by, ", "), n+1, n+3, 100*(float64(n+3)/4-1))})
	}
	for k, st := range s.State {
		if n > 0 && !st.Restored {
			fs = append(fs, Finding{Field: fmt.Sprintf("%s.state.%d", field, k), Related: []string{field}, Help: "save it in the first run and put it back before the second",
				Summary: fmt.Sprintf("the second run of segment %s reads %s, which is not put back: it may compute something else than forward did", s.Name, st.Name)})
		}
	}
	for k, w := range s.Writes {
		if n == 0 || w.Each != "every-run" {
			continue
		}
		more := ""
		if w.Value != 0 {
			more = fmt.Sprintf(": %g becomes %g", w.Value, w.Value*float64(n+1))
		}
		fs = append(fs, Finding{Field: fmt.Sprintf("%s.writes.%d", field, k), Related: []string{field}, Help: "write it in the first run only, or outside of the segment",
			Summary: fmt.Sprintf("%s is written %d times in an update, because segment %s is run again%s", w.To, n+1, s.Name, more)})
	}
	return fs
}
