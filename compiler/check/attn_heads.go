package check

import (
	"fmt"

	"github.com/gradcue/gradcue/spec/shape"
)

var attnHeads = Rule{
	ID: "attn.heads", Title: "grouped heads are one-to-one, and their gradients add",
	Formula: "H mod G = 0; h ↦ (h div (H/G), h mod (H/G)) is one-to-one onto G × H/G; dK_g = Σ_{h∈g} dK_h",
	Doc:     `H query heads share G key and value heads, H/G to each. The index of a query head is split with the share H/G; another divisor is right only where both counts are equal, and otherwise writes some slots twice, some never, or out of range. Backward of the sharing is a sum over the group, for keys and values. The order of heads (blocks or interleaved) is part of the model and must be the same on every path. That kvHeads divides heads is checked with the model.`,
	Spec: func(in *Input) []Finding {
		return attention(in).grouped()
	},
}

// headMap gives each query head its key head and its place in the group.
func headMap(h, heads, divisor int64, order string) (group, place int64) {
	if order == "interleaved" {
		groups := max(heads/divisor, 1)
		return h % groups, h / groups
	}
	return h / divisor, h % divisor
}

func (a *attending) grouped() (fs []Finding) {
	m := &a.in.Experiment.Model
	share := m.Heads / max(m.KVHeads, 1)
	for i := range a.Backends {
		b := &a.Backends[i]
		at := fmt.Sprintf("pipeline.attention.backends.%d.heads", i)
		f := a.mapped(b, share)
		if f == nil {
			f = summed(b, share)
		}
		if f != nil {
			f.Field, f.Related = at+f.Field, []string{"model.heads", "model.kvHeads"}
			fs = append(fs, *f)
		}
	}
	return fs
}

// mapped compares the map of heads of a back end with the one that is wanted.
func (a *attending) mapped(b *shape.AttentionBackend, share int64) *Finding {
	m := &a.in.Experiment.Model
	divisor, order := b.Heads.Divisor, b.Heads.Order
	if divisor == 0 {
		divisor = share
	}
	if order == "" {
		order = a.HeadOrder
	}
	written, outside, other := map[[2]int64]bool{}, int64(0), int64(-1)
	for h := range m.Heads {
		g, p := headMap(h, m.Heads, divisor, order)
		if g >= m.KVHeads || p >= share {
			outside++
			continue
		}
		written[[2]int64{g, p}] = true
		if want, _ := headMap(h, m.Heads, share, a.HeadOrder); other < 0 && want != g {
			other = h
		}
	}
	slots := int64(len(written))
	switch {
	case slots < m.Heads:
		return &Finding{Field: ".divisor", Help: fmt.Sprintf("divide by heads / kvHeads = %d", share),
			Summary: fmt.Sprintf("back end %s splits the index of %d query heads by %d, but %d key heads have a share of %d: %d of %d slots are reached, %d accesses are out of range",
				b.Name, m.Heads, divisor, m.KVHeads, share, slots, m.Heads, outside)}
	case other >= 0:
		got, _ := headMap(other, m.Heads, divisor, order)
		want, _ := headMap(other, m.Heads, share, a.HeadOrder)
		return &Finding{Field: ".order", Help: "use one order of heads on every path",
			Summary: fmt.Sprintf("back end %s has its heads %s, the model %s: query head %d reads key head %d instead of %d", b.Name, order, a.HeadOrder, other, got, want)}
	}
	return nil
}

// summed looks at the gradient of keys and values that are shared.
func summed(b *shape.AttentionBackend, share int64) *Finding {
	if b.Heads.Gradient == "sum" || share < 2 || b.Pass == "forward" {
		return nil
	}
	sum := share * (share + 1) / 2
	got := map[string]float64{"first": 1, "last": float64(share), "mean": float64(sum) / float64(share)}[b.Heads.Gradient]
	return &Finding{Field: ".gradient", Help: "sum the gradients of keys and values over the query heads of a group",
		Summary: fmt.Sprintf("back end %s takes the %s of the %d key gradients of a group instead of their sum: parts 1 to %d give %.4g, right is %d", b.Name, b.Heads.Gradient, share, share, got, sum)}
}
