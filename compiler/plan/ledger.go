package plan

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gradcue/gradcue/compiler/ir"
)

// Moment is M_t of one command: bytes by class.
type Moment [ir.NumClasses]int64

// Total is M_t = Σ a_i(t) b_i.
func (m *Moment) Total() (n int64) {
	for _, b := range m {
		n += b
	}
	return n
}

// Ledger is M_t by class for every command of a section on one tier. Values in
// a staging region count with the region.
func (p *Plan) Ledger(sec ir.Section, tier ir.Tier) []Moment {
	n := len(p.Sections[sec].Commands)
	steps := make([]Moment, n+1)
	for i := range p.Buffers {
		b := &p.Buffers[i]
		if b.In > 0 || b.Tier != tier.String() {
			continue
		}
		c, err := ir.ParseClass(b.Class)
		if err != nil {
			continue
		}
		first, last, ok := b.Lives(sec, n)
		if !ok || first < 0 || last >= n || first > last {
			continue
		}
		steps[first][c] += b.Bytes
		steps[last+1][c] -= b.Bytes
	}
	for t := 1; t < n; t++ {
		for c := range steps[t] {
			steps[t][c] += steps[t-1][c]
		}
	}
	return steps[:n]
}

// Lives is the life of a buffer within a section of n commands; ok is false
// where it has none.
func (b *Buffer) Lives(sec ir.Section, n int) (first, last int, ok bool) {
	switch {
	case !b.Run:
		return b.First, b.Last, b.Section == int(sec)
	case sec == ir.Micro:
		return b.From, n - 1, true
	}
	return 0, n - 1, true
}

// PeakOf is max_t M_t of a ledger and its command; -1 for an empty section.
func PeakOf(l []Moment) (at int, bytes int64) {
	at = -1
	for t := range l {
		if n := l[t].Total(); at < 0 || n > bytes {
			at, bytes = t, n
		}
	}
	return at, bytes
}

// Owners lists what is resident at one command on one tier, the same name in
// different blocks as one row, biggest first.
func (p *Plan) Owners(sec ir.Section, tier ir.Tier, at int) []OwnerBytes {
	type key struct{ name, class string }
	rows := map[key]int{}
	var list []OwnerBytes
	for i := range p.Buffers {
		b := &p.Buffers[i]
		first, last, ok := b.Lives(sec, len(p.Sections[sec].Commands))
		if b.In > 0 || b.Tier != tier.String() || !ok || at < first || at > last {
			continue
		}
		k := key{general(b.Name), b.Class}
		r, ok := rows[k]
		if !ok {
			r = len(list)
			rows[k] = r
			list = append(list, OwnerBytes{Name: k.name, Class: k.class})
		}
		list[r].Bytes += b.Bytes
		list[r].Count++
	}
	slices.SortStableFunc(list, func(a, b OwnerBytes) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), strings.Compare(a.Name, b.Name), strings.Compare(a.Class, b.Class))
	})
	return list
}

// general replaces the block index in a name: blocks.3.fc → blocks.*.fc.
func general(name string) string {
	rest, ok := strings.CutPrefix(name, "blocks.")
	if !ok {
		return name
	}
	_, tail, ok := strings.Cut(rest, ".")
	if !ok {
		return name
	}
	return "blocks.*." + tail
}
