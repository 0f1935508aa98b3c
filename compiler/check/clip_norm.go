package check

import (
	"fmt"
	"math"
	"slices"

	"github.com/gradcue/gradcue/spec/shape"
)

var clipNorm = Rule{
	ID: "clip.norm", Title: "the norm counts each gradient element once", Formula: "‖g‖² = Σ over each unique element once, after the last add and reduction",
	Doc: "The norm for clipping is that of the whole gradient. Taken over the shard of one rank, each rank scales by another factor and the direction changes; summed over ranks without care, replicated parameters count once per rank; a tied tensor counts once and not once per name; before the reduction it is the norm of something else.",
	Spec: func(in *Input) (fs []Finding) {
		p := in.pipeline()
		n, limit := &p.update.Norm, in.Experiment.Optimizer.Clip.Norm
		if limit == 0 {
			return nil
		}
		add := func(field, help, text string) {
			fs = append(fs, Finding{Field: "pipeline.update." + field, Summary: text, Help: help, Related: []string{"optimizer.clip.norm"}})
		}
		if n.Over == "shard" {
			add("norm.over", "add the squares of all shards before taking the root", "the norm counts the shard of one rank only"+shardNorms(n.Shards, limit))
		}
		if n.Replicated == "each rank" && in.Experiment.Window.Replicas > 1 {
			add("norm.replicated", "count a replicated gradient on one rank", fmt.Sprintf("the norm counts replicated gradients %d times%s", in.Experiment.Window.Replicas, replicaNorm(n, in.Experiment.Window.Replicas)))
		}
		if n.Shared == "each name" && (in.Experiment.Model.Tied || Foreign(in.Experiment)) {
			add("norm.shared", "count a tensor once, not once per name", "the norm counts a tensor with two names twice")
		}
		clip, reduce := slices.Index(p.update.Order, "clip"), slices.Index(p.update.Order, "reduce")
		if clip >= 0 && reduce > clip {
			add(fmt.Sprintf("order.%d", clip), "clip after the reduction", "the gradient is clipped before it is reduced over ranks: the norm is that of one rank's part")
		}
		return fs
	},
}

func shardNorms(shards []float64, limit float64) string {
	if len(shards) == 0 {
		return ""
	}
	sum, clipped := 0.0, 0.0
	for _, s := range shards {
		sum += s * s
		c := min(s, limit)
		clipped += c * c
	}
	total := math.Sqrt(sum)
	return fmt.Sprintf(": shards of %s are clipped one by one to a total of %s, expected a total of %s clipped to %s", listBy(shards, number), number(math.Sqrt(clipped)), number(total), number(min(total, limit)))
}

func replicaNorm(n *shape.NormPipeline, ranks int64) string {
	if n.Replicas == nil {
		return ""
	}
	sum := 0.0
	for _, s := range n.Shards {
		sum += s * s
	}
	r := *n.Replicas * *n.Replicas
	return fmt.Sprintf(": %s instead of %s", number(math.Sqrt(sum+float64(ranks)*r)), number(math.Sqrt(sum+r)))
}
