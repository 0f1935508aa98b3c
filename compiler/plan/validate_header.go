package plan

import (
	"strconv"
	"strings"

	"github.com/gradcue/gradcue/compiler/ir"
)

// header checks what stands before the buffers.
func (c *checker) header() {
	p := c.p
	if p.Version != Version {
		c.add("plan.version", "version", "found %d, this program knows %d", p.Version, Version)
	}
	if !knownTarget(p.Target) {
		c.add("plan.version", "target", "found %.40q, expected cpu or cuda:sm_NN", p.Target)
	}
	if p.Workers < 1 || p.Workers > MaxWorkers {
		c.add("plan.version", "workers", "found %d, expected 1 to %d", p.Workers, MaxWorkers)
	}
	if len(p.Arenas) != int(ir.NumTiers) {
		c.add("plan.arena", "arenas", "found %d, expected one per tier, %d", len(p.Arenas), ir.NumTiers)
	}
	for i, a := range p.Arenas[:min(len(p.Arenas), int(ir.NumTiers))] {
		t := ir.Tier(i)
		if a.Tier != t.String() {
			c.add("plan.arena", "arenas", "arena %d is of tier %.40q, expected %q", i, a.Tier, t)
		}
		if a.Bytes < 0 || a.Bytes > MaxArena {
			c.add("plan.arena", "arenas", "arena %s has %d bytes, expected 0 to %d", t, a.Bytes, int64(MaxArena))
		}
	}
	c.sections()
}

// knownTarget reports whether t is cpu or a CUDA architecture such as cuda:sm_90
// or cuda:sm_90a.
func knownTarget(t string) bool {
	arch, cuda := strings.CutPrefix(t, "cuda:sm_")
	if !cuda {
		return t == "cpu"
	}
	n, err := strconv.ParseUint(strings.TrimSuffix(arch, "a"), 10, 10)
	return err == nil && n >= 50
}

func (c *checker) sections() {
	p := c.p
	if len(p.Sections) != int(ir.NumSections) {
		c.add("plan.section", "sections", "found %d, expected %d", len(p.Sections), ir.NumSections)
	}
	for i, s := range p.Sections[:min(len(p.Sections), int(ir.NumSections))] {
		if want := ir.Section(i).String(); s.Name != want {
			c.add("plan.section", "sections", "section %d is named %.40q, expected %q", i, s.Name, want)
		}
		c.events += len(s.Commands)
	}
}
