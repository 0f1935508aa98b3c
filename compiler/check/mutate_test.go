package check_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gradcue/gradcue/compiler"
	"github.com/gradcue/gradcue/spec/diag"
)

// TestMutations breaks one formula of a right spec by changing one field, or one
// section where what is wrong needs several. Each
// mutator is tried on several random specs; 97 of 100 mutants must be refused or
// warned about by the rule that the formula belongs to. Escapes are printed.
func TestMutations(t *testing.T) {
	const each = 2
	type mutant struct {
		*mutator
		seed uint64
		spec tree
	}
	var all []mutant
	for i := range mutators {
		m := &mutators[i]
		n := 0
		for seed := uint64(0); n < each && seed < 400; seed++ {
			x := right(1000*uint64(i+1)+seed, !m.own)
			c := &change{rand.New(rand.NewPCG(seed, 2)), x}
			if m.change(c) {
				all = append(all, mutant{m, seed, x})
				n++
			}
		}
		if n < each {
			t.Errorf("%s could be made %d times only", m.name, n)
		}
	}
	specs := make([]tree, len(all))
	for i := range all {
		specs[i] = all[i].spec
	}
	caught, rules := 0, map[string]bool{}
	for i, list := range vetAll(t, specs) {
		m := &all[i]
		if fires(list, m.rule) {
			caught++
			for _, id := range strings.Fields(m.rule) {
				rules[id] = true
			}
			continue
		}
		t.Logf("escape: %s (%s), seed %d: %q", m.name, m.rule, m.seed, found(list))
	}
	t.Logf("%d of %d mutants of %d kinds are caught, by %d rules", caught, len(all), len(mutators), len(rules))
	if len(all) < 300 || 100*caught < 97*len(all) {
		t.Errorf("%d of %d mutants are caught, expected at least 97 %% of 300", caught, len(all))
	}
}

// fires reports whether one of the rules has a finding.
func fires(list diag.List, rules string) bool {
	for _, d := range list {
		for _, id := range strings.Fields(rules) {
			if d.Code == id {
				return true
			}
		}
	}
	return false
}

// TestBudgetMutations: a budget one byte below the plan's arena is refused, the
// arena itself is not.
func TestBudgetMutations(t *testing.T) {
	n := 0
	for i := uint64(0); n < 12; i++ {
		x := right(i, false)
		if x.int("model.layers") > 6 || x.int("model.heads")*x.int("model.headDim") > 256 {
			continue
		}
		n++
		e := *loadOne(t, x).Experiment
		e.Memory.Budget, e.Memory.HostBudget = 0, 0
		r, list, err := compiler.Compile(compiler.Source{Experiment: &e}, compiler.Options{})
		if err != nil || list.HasErrors() {
			t.Fatal(err, found(list))
		}
		for _, c := range []struct {
			less int64
			rule string
		}{{0, ""}, {1, "mem.peak"}} {
			e.Memory.Budget = r.Plan.Arenas[0].Bytes - c.less
			_, list, _ = compiler.Compile(compiler.Source{Experiment: &e}, compiler.Options{})
			if fires(list, "mem.peak") != (c.rule != "") {
				t.Errorf("spec %d with a budget of %d: %v", i, e.Memory.Budget, found(list))
			}
		}
	}
}

// change is a right spec to be spoilt.
type change struct {
	*rand.Rand
	x tree
}

// mutator breaks one formula. change reports whether the spec has what it needs.
type mutator struct {
	name   string
	rule   string // that must fire, or one of several
	own    bool   // of gradcue's own specs, else of another trainer's
	change func(*change) bool
}

func (c *change) k() int     { return c.x.int("window.microBatches") }
func (c *change) ranks() int { return c.x.int("window.replicas") }

// put sets a field.
func (c *change) put(path string, v any) bool {
	c.x.set(path, v)
	return true
}

// without is a list without its i-th element.
func without(list []any, i int) []any { return append(list[:i:i], list[i+1:]...) }

// drop removes one of the values of a list of words.
func (c *change) drop(path, word string) bool {
	for i, w := range c.x.list(path) {
		if w == word {
			return c.put(path, without(c.x.list(path), i))
		}
	}
	return false
}

// swap exchanges two words of a list.
func (c *change) swap(path, a, b string) bool {
	l, i, j := append([]any(nil), c.x.list(path)...), -1, -1
	for k, w := range l {
		if w == a {
			i = k
		}
		if w == b {
			j = k
		}
	}
	if i < 0 || j < 0 {
		return false
	}
	l[i], l[j] = l[j], l[i]
	return c.put(path, l)
}

// more appends to a list.
func (c *change) more(path string, v any) bool {
	return c.put(path, append(append([]any(nil), c.x.list(path)...), v))
}

// has reports whether a section or field is said.
func (c *change) has(path string) bool { return c.x.get(path) != nil }

// always makes a mutator of one field that may always be set.
func always(name, rule, path string, v any) mutator {
	return mutator{name: name, rule: rule, change: func(c *change) bool { return c.put(path, v) }}
}

// own makes a mutator of gradcue's own specs.
func own(name, rule, path string, v any) mutator {
	return mutator{name: name, rule: rule, own: true, change: func(c *change) bool { return c.put(path, v) }}
}

// when makes a mutator of one field that needs a condition.
func when(cond func(*change) bool, name, rule, path string, v any) mutator {
	return mutator{name: name, rule: rule, change: func(c *change) bool { return cond(c) && c.put(path, v) }}
}

func manyBatches(c *change) bool { return c.k() > 1 }
func manyRanks(c *change) bool   { return c.ranks() > 1 }
func clips(c *change) bool       { return c.x.get("optimizer.clip.norm") != 0 }
func hasScaler(c *change) bool   { return c.x.text("precision.lossScale.kind") == "dynamic" }
func shifted(c *change) bool     { return c.x.int("mask.shift.offset") == 1 }
func describes(path string) func(*change) bool {
	return func(c *change) bool { return c.has("pipeline." + path) }
}
func all(conds ...func(*change) bool) func(*change) bool {
	return func(c *change) bool {
		for _, cond := range conds {
			if !cond(c) {
				return false
			}
		}
		return true
	}
}
