package plantest

import (
	"cmp"
	"slices"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

// Plan places the buffers, seals the plan and returns it: persistent ones
// first, then those of each section by first fit in the space that follows.
func (n *Builder) Plan() *plan.Plan {
	p := &n.p
	for tier := range ir.NumTiers {
		p.Arenas = append(p.Arenas, plan.Arena{Tier: tier.String(), Bytes: n.place(tier)})
	}
	for i := range p.Buffers {
		if b := &p.Buffers[i]; b.In > 0 {
			b.Offset = p.Buffers[b.In-1].Offset + n.at[i]
		}
	}
	if err := plan.Seal(p); err != nil {
		panic(err)
	}
	return p
}

// place gives offsets to the buffers of a tier and returns the arena's size.
func (n *Builder) place(tier ir.Tier) int64 {
	var base, end int64
	bySection := make([][]int, ir.NumSections)
	for i := range n.p.Buffers {
		b := &n.p.Buffers[i]
		if b.Tier != tier.String() || b.In > 0 {
			continue
		}
		if b.Run {
			b.Offset = base
			base += Up(b.Bytes)
		} else if b.First >= 0 {
			bySection[b.Section] = append(bySection[b.Section], i)
		}
	}
	end = base
	for _, members := range bySection {
		end = max(end, n.fit(members, base))
	}
	return end
}

// fit places buffers by first fit above base and returns the highest end.
func (n *Builder) fit(members []int, base int64) int64 {
	bs := n.p.Buffers
	slices.SortStableFunc(members, func(i, j int) int { return cmp.Compare(bs[i].First, bs[j].First) })
	end := base
	var live []int // by offset
	for _, i := range members {
		live = slices.DeleteFunc(live, func(j int) bool { return bs[j].Last < bs[i].First })
		at, k := base, 0
		for k < len(live) && bs[live[k]].Offset-at < Up(bs[i].Bytes) {
			at = bs[live[k]].Offset + Up(bs[live[k]].Bytes)
			k++
		}
		bs[i].Offset = at
		live = slices.Insert(live, k, i)
		end = max(end, at+Up(bs[i].Bytes))
	}
	return end
}

// Up rounds bytes up to the granularity of offsets.
func Up(bytes int64) int64 { return (bytes + plan.Align - 1) / plan.Align * plan.Align }
