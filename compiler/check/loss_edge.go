package check

import "fmt"

var lossEdge = Rule{
	ID: "loss.edge", Title: "targets stay inside their document, row and shard border", Formula: "shift, then split: Σ a_t ≤ Σ_d (len_d − 1), and a_t = 1 ⇒ document(t) = document(t+1)",
	Doc: "Targets must be shifted before rows are flattened and before a row is cut into shards. Shifted afterwards, the last position of a row learns the first token of the next row, and the last position of each shard has no target at all. In packed rows the last position of a document has no next token, unless pipeline.targets.acceptBorders says that crossing is meant.",
	Spec: func(in *Input) (fs []Finding) {
		p, w := in.pipeline(), &in.Experiment.Window
		for i, s := range p.targets.Shifts {
			field := fmt.Sprintf("pipeline.targets.shifts.%d.on", i)
			switch {
			case s.Positions == 0:
			case s.On == "flattened" && w.MicroBatchSize > 1:
				fs = append(fs, Finding{Field: field, Related: []string{"window.microBatchSize"}, Help: "shift within rows, before they are flattened",
					Summary: fmt.Sprintf("the %s shifts after rows are flattened: %s of a micro-batch of %d rows cross into the next row", s.By, plural(w.MicroBatchSize-1, "target"), w.MicroBatchSize)})
			case s.On == "ring":
				fs = append(fs, Finding{Field: field, Help: "give the last position of a row no target",
					Summary: fmt.Sprintf("the %s rolls each row: its last position learns the row's first token, 1 of %d targets", s.By, w.SeqLen)})
			case s.On == "shard" && p.data.SequenceShards > 1:
				n := p.data.SequenceShards
				fs = append(fs, Finding{Field: field, Related: []string{"pipeline.data.sequenceShards", "window.seqLen"}, Help: "shift the whole row first, then cut it into shards",
					Summary: fmt.Sprintf("the %s shifts each of %d shards on its own: %s of a row are lost at shard borders, leaving %d of %d", s.By, n, plural(n-1, "target"), w.SeqLen-n, w.SeqLen-1)})
			}
		}
		if p.targets.DocumentBorders == "trained" && !p.targets.AcceptBorders {
			fs = append(fs, Finding{Field: "pipeline.targets.documentBorders", Summary: "the last token of a document is trained to predict the first one of the next document" + in.crossing(),
				Help: "ignore the last position of each document, or set acceptBorders: true if that is the experiment"})
		}
		return fs
	},
	Data: func(in *Input) []Finding { return labelEdge(in) },
}

// crossing is the numbers of targets that cross document borders, from the
// sample or from the example lengths; "" where there is neither.
func (in *Input) crossing() string {
	cross, all := 0, 0
	if in.Sample != nil {
		for _, r := range in.Sample.Rows {
			for t := 1; t < len(r.IDs); t++ {
				if r.Roles[t] == 0 || r.Roles[t-1] == 0 {
					continue
				}
				all++
				if r.Docs[t] != r.Docs[t-1] {
					cross++
				}
			}
		}
	} else if lens := in.pipeline().data.Documents; len(lens) > 0 {
		cross = len(lens) - 1
		for _, n := range lens {
			all += int(n)
		}
		all--
	}
	if all <= 0 {
		return ""
	}
	return fmt.Sprintf(": %d of %d targets (%s %%) cross a border", cross, all, number(100*float64(cross)/float64(all)))
}

// labelEdge finds labels at positions whose next token belongs to another
// document or to nothing. Labels that are shifted wrongly say nothing of borders.
func labelEdge(in *Input) []Finding {
	if in.pipeline().targets.AcceptBorders || in.Experiment.Mask.Shift.Offset != 1 || len(labelShift(in)) > 0 {
		return nil
	}
	cross, all := 0, 0
	in.Sample.labels(in, func(row, t int, _ int32) {
		r := &in.Sample.Rows[row]
		all++
		if t+1 >= len(r.IDs) {
			if r.NextDoc != r.Docs[t] {
				cross++
			}
		} else if r.Docs[t+1] != r.Docs[t] || r.Roles[t+1] == 0 {
			cross++
		}
	})
	if cross == 0 {
		return nil
	}
	return []Finding{{Field: "pipeline.targets", Summary: fmt.Sprintf("%d of %d targets of the sample cross a row or document border", cross, all), Help: "ignore the last position of each document"}}
}
