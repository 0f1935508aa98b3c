package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/compiler/plan/plantest"
)

// small is a plan with its peak filled in, as the compiler does.
func small() *plan.Plan {
	p := plantest.GPT(plantest.Config{Layers: 2, Batch: 2, SeqLen: 8, Width: 8, Heads: 2, Vocab: 32, Workers: 1})
	p.Name = "a<b>&c"
	l := p.Ledger(ir.Micro, ir.Device)
	at, n := plan.PeakOf(l)
	p.Predictions.Peak = plan.Peak{Section: ir.Micro.String(), Command: at, Bytes: n, What: "gelu.grad <of> block 1"}
	for c, b := range l[at] {
		if b > 0 {
			p.Predictions.ClassAtPeak = append(p.Predictions.ClassAtPeak, plan.ClassBytes{Class: ir.Class(c).String(), Bytes: b})
		}
	}
	return p
}

// elements counts the elements of a document and fails when it is not XML.
func elements(t *testing.T, data []byte) map[string]int {
	t.Helper()
	n := map[string]int{}
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return n
		}
		if err != nil {
			t.Fatalf("not XML: %v", err)
		}
		if s, ok := tok.(xml.StartElement); ok {
			n[s.Name.Local]++
		}
	}
}

func TestMemory(t *testing.T) {
	p := small()
	data := Memory(p)
	if !bytes.Equal(data, Memory(small())) {
		t.Error("equal plans have other pictures")
	}
	n := elements(t, data)
	classes := 0
	for sec := range ir.NumSections {
		var any [ir.NumClasses]bool
		for _, m := range p.Ledger(sec, ir.Device) {
			for c, b := range m {
				any[c] = any[c] || b > 0
			}
		}
		for _, seen := range any {
			if seen {
				classes++
			}
		}
	}
	if n["path"] != classes || n["circle"] != 1 {
		t.Errorf("%d areas and %d marks of the peak, want %d and 1", n["path"], n["circle"], classes)
	}
	text := string(data)
	for _, want := range []string{"arena " + plan.Bytes(p.Arenas[ir.Device].Bytes), "peak " + plan.Bytes(p.Predictions.Peak.Bytes), "gelu.grad &lt;of&gt;", "a&lt;b&gt;&amp;c"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || strings.Contains(text, "href") {
		t.Error("numbers that are none, or something from outside")
	}
}

// TestMemoryOfNothing draws a plan without commands.
func TestMemoryOfNothing(t *testing.T) {
	p := &plan.Plan{Arenas: make([]plan.Arena, ir.NumTiers), Sections: make([]plan.Section, ir.NumSections)}
	if n := elements(t, Memory(p)); n["path"] != 0 || n["circle"] != 0 || n["svg"] != 1 {
		t.Errorf("elements %v", n)
	}
}

// TestLayersHaveEveryClass keeps the stack equal to M_t.
func TestLayersHaveEveryClass(t *testing.T) {
	seen := map[ir.Class]bool{}
	for _, l := range layers {
		seen[l.class] = true
	}
	if len(seen) != int(ir.NumClasses) || len(layers) != len(seen) {
		t.Errorf("%d layers of %d classes, want %d", len(layers), len(seen), ir.NumClasses)
	}
}

// TestColumns keeps the largest moment of each column and ends at the edges.
func TestColumns(t *testing.T) {
	s := strip{from: 10, to: 13, ledger: []plan.Moment{{1}, {9}, {2}, {3}, {4}, {8}, {5}}}
	xs, ms := s.columns()
	if len(xs) != 4 || xs[0] != 10 || xs[3] != 13 {
		t.Errorf("columns begin at %v", xs)
	}
	var got []int64
	for _, m := range ms {
		got = append(got, m.Total())
	}
	if len(got) != 3 || got[0] != 9 || got[1] != 3 || got[2] != 8 {
		t.Errorf("columns hold %v, want 9, 3, 8", got)
	}
}
