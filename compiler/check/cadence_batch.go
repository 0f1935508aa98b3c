package check

import "fmt"

var cadenceBatch = Rule{
	ID: "cadence.batch", Title: "the global batch is micro-batch × K × R", Formula: "globalBatch = microBatchSize · microBatches · replicas, R = all ranks",
	Doc: "The number of micro-batches of an update follows from the global batch and all ranks, not those of one machine. Counting too few ranks makes the update as many times larger.",
	Spec: func(in *Input) (fs []Finding) {
		p, w := in.pipeline(), &in.Experiment.Window
		if nodes, each := p.window.Nodes, p.window.RanksPerNode; nodes > 0 && each > 0 && nodes*each != w.Replicas {
			fs = append(fs, Finding{Field: "window.replicas", Related: []string{"pipeline.window.nodes", "pipeline.window.ranksPerNode"}, Help: "count the ranks of all nodes",
				Summary: fmt.Sprintf("window.replicas is %d, expected nodes × ranksPerNode = %d × %d = %d", w.Replicas, nodes, each, nodes*each)})
		}
		g, rows := p.window.GlobalBatch, w.MicroBatchSize*w.MicroBatches*w.Replicas
		if g == 0 || g == rows || len(fs) > 0 {
			return fs
		}
		f := Finding{Field: "pipeline.window.globalBatch", Related: []string{"window.microBatchSize", "window.microBatches", "window.replicas"}}
		f.Summary = fmt.Sprintf("global batch %d ≠ %d×%d×%d = %d rows", g, w.MicroBatchSize, w.MicroBatches, w.Replicas, rows)
		if part := w.MicroBatchSize * w.Replicas; g%part == 0 {
			f.Help = fmt.Sprintf("use microBatches: %d", g/part)
		} else {
			f.Help = fmt.Sprintf("use a global batch that %d (micro-batch size × ranks) divides", part)
		}
		return append(fs, f)
	},
}
