package cpu

// Packing for the tile that takes two steps of k at a time. A word holds the elements of both, the first in the high half. Of
// an odd K the last word is filled with -0 in a and +0 in b: their product is -0, which changes no sum.
const (
	filledA = 0x8000
	filledB = 0
)

// brief reports whether elements are bf16.
func (m *Matrix) brief() bool { return m.half() && m.kind == BF16 }

// pairB is packB of pairs: panels of nr columns, a row of the panel for each word.
func (t *packed) pairB(dst []float32, j, je, k, ke int) {
	n := ke - k
	whole, last := t.whole(n, ke)
	for ; j < je; j, dst = j+t.nr, dst[min(len(dst), n*t.nr):] {
		w := min(t.nr, je-j)
		if t.b.across && whole > 0 {
			t.u.pairRows(&dst[0], t.nr, &t.b.narrow[2*k*t.b.ld+j], t.b.ld, whole, w)
		}
		for g := 0; g < w && !t.b.across && whole > 0; g += unit {
			t.b.pairs(t.u, dst[g:], t.nr, (j+g)*t.b.ld+2*k, min(unit, w-g), whole)
		}
		for i := 0; i < w && last; i++ {
			dst[whole*t.nr+i] = pair(t.b.element(j+i, 2*(ke-1)), filledB)
		}
	}
}

// pairA is packA of pairs: panels of mr rows, a unit for each word.
func (t *packed) pairA(dst []float32, i, ie, k, ke int) {
	n := ke - k
	whole, last := t.whole(n, ke)
	if panels := (ie - i) / unit; t.a.across && whole > 0 && panels > 0 {
		t.u.pairPanels(&dst[0], n*unit, &t.a.narrow[2*k*t.a.ld+i], t.a.ld, whole, panels)
	}
	for ; i < ie; i, dst = i+t.mr, dst[n*unit:] {
		m := min(t.mr, ie-i)
		switch {
		case whole == 0:
		case !t.a.across:
			t.a.pairs(t.u, dst, unit, i*t.a.ld+2*k, m, whole)
		case m < unit:
			t.u.pairRows(&dst[0], unit, &t.a.narrow[2*k*t.a.ld+i], t.a.ld, whole, m)
		}
		for r := 0; r < m && last; r++ {
			dst[whole*unit+r] = pair(t.a.element(i+r, 2*(ke-1)), filledA)
		}
	}
}

// whole is how many of the n words before ke have two steps, and whether there is one of one step.
func (t *packed) whole(n, ke int) (int, bool) {
	if t.steps%2 == 1 && ke == t.K {
		return n - 1, true
	}
	return n, false
}

// element is the 16-bit element (i,k).
func (t *operand) element(i, k int) uint16 {
	if t.across {
		return t.narrow[k*t.ld+i]
	}
	return t.narrow[i*t.ld+k]
}
