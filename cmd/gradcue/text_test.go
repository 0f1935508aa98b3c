package main

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/compiler/plan/plantest"
	"github.com/gradcue/gradcue/runtime/cuda"
)

func TestUnits(t *testing.T) {
	tests := []struct{ got, want string }{
		{group(0), "0"}, {group(999), "999"}, {group(1000), "1,000"}, {group(-1234567), "-1,234,567"}, {group(math.MinInt64), "-9,223,372,036,854,775,808"},
		{si(0, "FLOP"), "0 FLOP"}, {si(7, "FLOP"), "7 FLOP"}, {si(999, "FLOP"), "999 FLOP"}, {si(999.4, "B/s"), "999 B/s"}, {si(999.6, "B/s"), "1.00 kB/s"},
		{si(1234, "token/s"), "1.23 ktoken/s"}, {si(12345, ""), "12.3 k"}, {si(9.996e14, "FLOP"), "1.00 PFLOP"}, {si(4.26e16, "FLOP"), "42.6 PFLOP"}, {si(0.5, ""), "0.50"},
		{percent(1, 3), "33.3 %"}, {percent(0, 0), "0.0 %"}, {percent(5, 5), "100.0 %"},
		{plural(1, "error"), "1 error"}, {plural(2, "error"), "2 errors"}, {plural(12345, "row"), "12,345 rows"},
		{tally(1, 0), "1 error"}, {tally(0, 2), "2 warnings"}, {tally(2, 1), "2 errors, 1 warning"},
		{bar(0, 4), ""}, {bar(1, 4), "████"}, {bar(2, 4), "████"}, {bar(0.5, 4), "██"}, {bar(1.0/32, 4), "▏"}, {bar(0.001, 4), ""}, {bar(31.0/32, 4), "███▉"},
		{field("a: b\nmodel name\t: X 9\n", "model name"), "X 9"}, {field("", "model name"), ""},
	}
	for i, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%d: %q, want %q", i, tt.got, tt.want)
		}
	}
}

// TestTable wants columns that align whatever the colours and the alphabet.
func TestTable(t *testing.T) {
	draw := func(color bool) string {
		var b bytes.Buffer
		p := newPage(&b, color)
		p.labelled("bytes", []column{{}, {right: true}, {style: cyan}}, [][]string{{"a", "1 B", "██"}, {"β-layer", "12 KiB", ""}})
		p.table("  ", []column{{head: "n", right: true}, {head: "name"}}, [][]string{{"10", "x"}})
		p.line("label", "one", "", "two")
		if err := p.close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	want := `  bytes         a           1 B  ██
                β-layer  12 KiB
   n  name
  10  x
  label         one · two
`
	if d := cmp.Diff(want, draw(false)); d != "" {
		t.Error(d)
	}
	bare := strings.NewReplacer("\x1b[2m", "", "\x1b[36m", "", "\x1b[0m", "").Replace(draw(true))
	if d := cmp.Diff(want, bare); d != "" {
		t.Errorf("with colours: %s", d)
	}
}

func TestSettings(t *testing.T) {
	for _, good := range []string{"", "cpu=go", "arena=whole,cpu=avx2"} {
		if _, err := parseSettings(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, path := range []string{"libcuda=/lib/x", "cublaslt=/lib/x", "cublaslt=off", "arena=split"} { // each build has its own
		if _, err := parseSettings(path); (err == nil) != cuda.Built {
			t.Errorf("%q: %v", path, err)
		}
	}
	for _, bad := range []string{"x", "cpu", "cpu=", "cpu=avx9", "cpu=go,", "libcuda", "libcuda=", ",", "CPU=go"} {
		if _, err := parseSettings(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestSettingRows(t *testing.T) {
	rows, err := settingRows([]byte(`{"a":{"b":1e-8,"c":[1,2],"d":[]},"e":"x","f":[{"g":true},{"g":[false]}],"h":null}`), func(path string) string { return "at " + path })
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"a.b", "1e-8", "at a.b"}, {"a.c", "[1, 2]", "at a.c"}, {"a.d", "[]", "at a.d"}, {"e", `"x"`, "at e"},
		{"f.0.g", "true", "at f.0.g"}, {"f.1.g", "[false]", "at f.1.g"}, {"h", "null", "at h"},
	}
	if d := cmp.Diff(want, rows); d != "" {
		t.Error(d)
	}
	for _, bad := range []string{"", "{", `{"a":1}x`, `{"a":`, `[1`} {
		if _, err := settingRows([]byte(bad), func(string) string { return "" }); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// TestStretches compares the cut of a section with its ledger.
func TestStretches(t *testing.T) {
	p := plantest.GPT(plantest.Config{Layers: 3, Batch: 2, SeqLen: 8, Width: 8, Heads: 2, Vocab: 32, Workers: 1})
	for sec := range ir.NumSections {
		ledger := p.Ledger(sec, ir.Device)
		at, peak := plan.PeakOf(ledger)
		found := at < 0
		for _, s := range stretches(p, sec) {
			if s.moment != ledger[s.at] {
				t.Errorf("%s: stretch at command %d holds %d bytes, the ledger %d", sec, s.at, s.moment.Total(), ledger[s.at].Total())
			}
			found = found || s.moment.Total() == peak
		}
		if !found {
			t.Errorf("%s: no stretch holds the peak of %d bytes", sec, peak)
		}
	}
}

func TestJoin(t *testing.T) {
	a, b := plan.Moment{1}, plan.Moment{2}
	got := join([]stretch{{phase: "step", moment: a}, {phase: "step", layer: 1, moment: a}, {phase: "step", layer: 2, last: 2, moment: a}, {phase: "step", layer: 3, last: 3, moment: b}})
	var blocks []string
	for i := range got {
		blocks = append(blocks, got[i].block())
	}
	if d := cmp.Diff([]string{"", "0–1", "2"}, blocks); d != "" {
		t.Error(d)
	}
}

// TestStarts plays a copy that compute waits for.
func TestStarts(t *testing.T) {
	cs := []plan.Command{
		{Kind: plan.Launch, Nanos: 10},
		{Kind: plan.Record, Event: 1},
		{Kind: plan.Wait, Event: 1, Stream: plan.Out},
		{Kind: plan.Copy, Stream: plan.Out, Nanos: 100},
		{Kind: plan.Record, Event: 2, Stream: plan.Out},
		{Kind: plan.Launch, Nanos: 5},
		{Kind: plan.Wait, Event: 2},
		{Kind: plan.Launch, Nanos: 1},
	}
	start, end := starts(cs)
	if d := cmp.Diff([]int64{0, 10, 10, 10, 110, 10, 110, 110}, start); d != "" {
		t.Error(d)
	}
	if end != 111 {
		t.Errorf("ends at %d, want 111", end)
	}
}

// TestTextWriter keeps the bytes of a model from acting on a terminal.
func TestTextWriter(t *testing.T) {
	for _, safe := range []bool{true, false} {
		var b bytes.Buffer
		w := &textWriter{w: &b, safe: safe}
		for _, s := range []string{"a\tb", "\x1b[2J", "", "\x7f\n"} {
			if n, err := w.Write([]byte(s)); n != len(s) || err != nil {
				t.Fatalf("wrote %d of %q: %v", n, s, err)
			}
		}
		want := "a\tb\x1b[2J\x7f\n"
		if safe {
			want = "a\tb.[2J.\n"
		}
		if b.String() != want || !w.ended {
			t.Errorf("safe %v: %q, want %q", safe, b.String(), want)
		}
	}
}
