package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gradcue/gradcue/spec/shape"
)

// parts checks that the gradient of a parameter is whole: over uses, replicas
// and shards.
func parts(p *shape.GraphParameter, field string) (fs []Finding) {
	if !p.Trainable {
		return nil
	}
	for _, f := range []*Finding{joined(p), reduced(p), covered(p)} {
		if f != nil {
			f.Field = field + f.Field
			fs = append(fs, *f)
		}
	}
	return fs
}

// joined: branches join by addition.
func joined(p *shape.GraphParameter) *Finding {
	var parts []string
	total, counted, known := 0.0, 0.0, 0
	bad := -1
	for i, u := range p.Uses {
		parts = append(parts, u.By)
		if u.Example != nil {
			known++
			total += *u.Example
		}
		wrong := u.Gradient == "left-out" || u.Gradient != "added" && len(p.Uses) > 1
		if wrong && bad < 0 {
			bad = i
		}
		switch {
		case u.Example == nil:
		case u.Gradient == "added":
			counted += *u.Example
		case u.Gradient == "overwrites":
			counted = *u.Example
		}
	}
	if bad < 0 {
		return nil
	}
	u := p.Uses[bad]
	why := map[string]string{"left-out": "is left out", "overwrites": "overwrites that of the others", "own-copy": "goes to a copy of its own"}[u.Gradient]
	f := &Finding{Field: fmt.Sprintf(".uses.%d", bad), Help: "add the gradients of all uses into one buffer before it is used",
		Summary: fmt.Sprintf("%s is used by %s, but the gradient of %s %s instead of being added", p.Name, strings.Join(parts, " and "), u.By, why)}
	if known == len(p.Uses) {
		f.Summary += fmt.Sprintf(": %.4g instead of %.4g", counted, total)
	}
	return f
}

// reduced: parts of a gradient are summed over the replicas, whole ones are not.
func reduced(p *shape.GraphParameter) *Finding {
	r := &p.Replicas
	if r.Ranks < 2 || r.Reduce == "" {
		return nil
	}
	example := ""
	if int64(len(r.Example)) == r.Ranks {
		sum := 0.0
		var values []string
		for _, x := range r.Example {
			sum += x
			values = append(values, fmt.Sprintf("%.4g", x))
		}
		example = fmt.Sprintf(": %s, where %.4g on each is right", strings.Join(values, " and "), sum)
	}
	f := &Finding{Field: ".replicas.reduce", Help: "sum partial gradients over the replicas before the update"}
	switch {
	case r.Gradients == "partial" && r.Reduce == "none":
		f.Summary = fmt.Sprintf("%s is replicated on %d ranks that each have a part of the gradient, and no reduce adds them: the replicas drift apart%s", p.Name, r.Ranks, example)
	case r.Gradients == "partial" && r.Reduce == "mean":
		f.Summary = fmt.Sprintf("%s is replicated on %d ranks that each have a part of the gradient, but the parts are averaged: the gradient is 1/%d of the right one", p.Name, r.Ranks, r.Ranks)
	case r.Gradients == "whole" && r.Reduce == "sum":
		f.Summary = fmt.Sprintf("%s is replicated on %d ranks that each have the whole gradient, but they are summed: the gradient is %d times the right one", p.Name, r.Ranks, r.Ranks)
		f.Help = "do not reduce whole gradients, or average them"
	default:
		return nil
	}
	return f
}

// covered: shards cover all rows.
func covered(p *shape.GraphParameter) *Finding {
	s := p.Shards
	if s == nil {
		return nil
	}
	per := s.PerRank
	if per == 0 {
		per = ceilDiv(s.Rows, s.Ranks)
	}
	held := min(s.Rows, times(per, s.Ranks))
	if lost := s.Rows - held; lost > 0 {
		return &Finding{Field: ".shards.perRank", Help: fmt.Sprintf("use %d rows per rank: rows / ranks, rounded up", ceilDiv(s.Rows, s.Ranks)),
			Summary: fmt.Sprintf("%s has %d rows, but %d ranks with %s cover %d: %s (%.4g %%) belong to no rank", p.Name, s.Rows, s.Ranks, plural(per, "row"), held, plural(lost, "row"), 100*float64(lost)/float64(s.Rows))}
	}
	if last := s.Rows % per; last > 0 && s.Last == "left-out" {
		return &Finding{Field: ".shards.last", Help: "pad the rows to a multiple of the ranks, or update the short shard as well",
			Summary: fmt.Sprintf("%s has %d rows over %d ranks with %s each: the last shard has %d, which are never updated (%.4g %%)", p.Name, s.Rows, s.Ranks, plural(per, "row"), last, 100*float64(last)/float64(s.Rows))}
	}
	return nil
}

// managed: one component decides where a storage is.
func managed(in *Input) (fs []Finding) {
	o := part(in, func(p *shape.Pipeline) *shape.OffloadPipeline { return p.Offload })
	for i := range o.Storages {
		s := &o.Storages[i]
		if name, k := describedTwice(o.Storages[:i], s); k >= 0 && len(s.Managers) < 2 {
			fs = append(fs, Finding{Field: fmt.Sprintf("pipeline.offload.storages.%d", i), Related: []string{fmt.Sprintf("pipeline.offload.storages.%d", k)}, Help: "describe a storage once, with all its names",
				Summary: fmt.Sprintf("%s is in storage %s and in storage %s: the same bytes are moved twice", name, o.Storages[k].Name, s.Name)})
		}
		if len(s.Managers) < 2 {
			continue
		}
		names := s.Name
		if len(s.Names) > 0 {
			names = strings.Join(s.Names, " and ")
		}
		f := Finding{Field: fmt.Sprintf("pipeline.offload.storages.%d.managers", i), Help: "let one owner place each storage, whatever names it has",
			Summary: fmt.Sprintf("%s share storage %s, but %d owners move it (%s)", names, s.Name, len(s.Managers), strings.Join(s.Managers, ", "))}
		if len(s.Names) == 0 {
			f.Summary = fmt.Sprintf("storage %s has %d owners that move it (%s)", s.Name, len(s.Managers), strings.Join(s.Managers, ", "))
		}
		w, bad := waits(o.Storages)
		if bad == nil {
			bad = w.ordered(i)
		}
		if len(bad) > 0 {
			f.Summary += ": " + bad[0].Summary
			f.Related = append(f.Related, bad[0].Field)
		}
		fs = append(fs, f)
	}
	return fs
}

// describedTwice is a name of a storage that another one has as well, and the
// index of that one; -1 where there is none.
func describedTwice(before []shape.MovedStorage, s *shape.MovedStorage) (name string, at int) {
	for k := range before {
		for _, n := range append([]string{s.Name}, s.Names...) {
			if n == before[k].Name || slices.Contains(before[k].Names, n) {
				return n, k
			}
		}
	}
	return "", -1
}
