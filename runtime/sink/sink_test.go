package sink

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type buffer struct{ bytes.Buffer }

func (*buffer) Sync() error { return nil }

func TestEventsRoundTrip(t *testing.T) {
	zero := 0
	want := []Event{
		{Type: Start, Version: Version, Name: "exp", Engine: "cpu", Identity: "ab", Updates: 3},
		{Type: Update, U: 1, Window: 1, Row: 8, Loss: F(0.1), Norm: F(0), Clip: 1, LR: 3e-4, N: 12, Trained: 12},
		{Type: Skip, U: 2, Loss: F(math.Inf(1)), Norm: F(math.Inf(-1))},
		{Type: Resume, Version: Version, From: &zero},
		{Type: Fail, Message: "a <b> & \"c\"\n"},
	}
	var b buffer
	l := NewLog(&b)
	for _, e := range want {
		if err := l.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(b.String(), "\n"); n != len(want) {
		t.Errorf("%d lines for %d events", n, len(want))
	}
	got, bad, err := Read(&b)
	if err != nil || bad != 0 {
		t.Fatalf("%d bad lines, %v", bad, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestFloatIsExactAndTotal(t *testing.T) {
	for _, x := range []float64{0, 1.0 / 3, 5e-324, math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN()} {
		b, err := Float(x).MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var f Float
		if err := f.UnmarshalJSON(b); err != nil {
			t.Fatal(err)
		}
		if got := float64(f); got != x && !(math.IsNaN(got) && math.IsNaN(x)) {
			t.Errorf("%v is written %s and read %v", x, b, got)
		}
	}
}

func TestTornLinesArePassedOver(t *testing.T) {
	got, bad, err := Read(strings.NewReader("{\"type\":\"update\",\"u\":1}\n{\"type\":\"upd\n\n{}\n{\"type\":\"update\",\"u\":2}\n"))
	if err != nil || bad != 3 || len(got) != 2 || got[1].U != 2 {
		t.Errorf("got %+v, %d bad, %v", got, bad, err)
	}
}

func TestUpdatesLastCounts(t *testing.T) {
	two := 2
	u := func(u int, loss float64) Event { return Event{Type: Update, U: u, Loss: F(loss)} }
	events := []Event{{Type: Start}, u(1, 1), u(2, 2), u(3, 3), u(4, 4), {Type: Eval, U: 4}, {Type: Resume, From: &two}, u(3, 30), {Type: Eval, U: 3}}
	if diff := cmp.Diff([]Event{u(1, 1), u(2, 2), u(3, 30)}, Updates(events)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]Event{{Type: Eval, U: 3}}, Evals(events)); diff != "" {
		t.Errorf("evals: -want +got:\n%s", diff)
	}
}

func TestLine(t *testing.T) {
	tests := []struct {
		line Line
		want string
	}{
		{Line{U: 120, Updates: 400, Loss: 1.2341, Norm: 0.871, LR: 2.9e-3, Made: 100, Tokens: 314880, Elapsed: 25600 * time.Millisecond},
			"update 120/400  loss 1.234  norm 0.87  lr 2.9e-03  12.3k tok/s  ETA 1m12s"},
		{Line{U: 1, Updates: 2, Loss: 4e-5, Norm: 1234567, LR: 1}, "update 1/2  loss 4.0e-05  norm 1.2e+06  lr 1.0e+00"},
		{Line{U: 2, Updates: 2, Loss: 0, Norm: math.NaN(), LR: 1e-9, Made: 2, Tokens: 10, Elapsed: time.Second}, "update 2/2  loss 0.000  norm NaN  lr 1.0e-09  10 tok/s  ETA 0s"},
		{Line{U: 2, Updates: 2, Made: 2, Tokens: 25e5, Elapsed: time.Second}, "update 2/2  loss 0.000  norm 0.00  lr 0.0e+00  2.5M tok/s  ETA 0s"},
	}
	for _, tt := range tests {
		if got := tt.line.String(); got != tt.want {
			t.Errorf("got  %q\nwant %q", got, tt.want)
		}
	}
}

func TestPlainStatusIsShort(t *testing.T) {
	var b bytes.Buffer
	s := Status{W: &b}
	for u := 1; u <= 1000; u++ {
		s.Update(Line{U: u, Updates: 1000, Made: u, Elapsed: time.Duration(u) * time.Millisecond})
	}
	s.Close()
	if n := strings.Count(b.String(), "\n"); n < 20 || n > 23 {
		t.Errorf("%d lines for 1000 fast updates, want about 20", n)
	}
	if strings.ContainsAny(b.String(), "\r\x1b") {
		t.Error("control characters off a terminal")
	}
	if !strings.Contains(b.String(), "update 1/") || !strings.Contains(b.String(), "update 1000/") {
		t.Error("the first or the last update is missing")
	}
}

func TestPlainStatusOfASlowRun(t *testing.T) {
	var b bytes.Buffer
	s := Status{W: &b}
	for u := 1; u <= 5; u++ {
		s.Update(Line{U: u, Updates: 1000, Made: u, Elapsed: time.Duration(u) * time.Minute})
	}
	if n := strings.Count(b.String(), "\n"); n != 5 {
		t.Errorf("%d lines for 5 updates of a minute each, want 5", n)
	}
}

func TestTerminalStatusIsOneLine(t *testing.T) {
	var b bytes.Buffer
	s := Status{W: &b, Terminal: true}
	for u := 1; u <= 100; u++ {
		s.Update(Line{U: u, Updates: 100, Made: u, Elapsed: time.Duration(u) * 10 * time.Millisecond})
	}
	s.Say("saved")
	s.Close()
	if got := b.String(); strings.Count(got, "\n") != 2 || strings.Count(got, "\r") > 12 || !strings.HasSuffix(got, "\nsaved\n") {
		t.Errorf("got %q, want one line that is rewritten at most 11 times", got)
	}
}

func TestColorOnlyIfAsked(t *testing.T) {
	var b bytes.Buffer
	s := Status{W: &b, Color: true}
	s.Update(Line{U: 1, Updates: 1})
	if got := b.String(); !strings.HasPrefix(got, "\x1b[1mupdate\x1b[0m 1/1") {
		t.Errorf("got %q", got)
	}
}

func TestNoStatus(t *testing.T) {
	var s *Status
	s.Update(Line{})
	s.Say("x")
	s.Close()
	if err := NewLog(nil).Write(Event{Type: Start}); err != nil {
		t.Error(err)
	}
}
