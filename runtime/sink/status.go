package sink

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"time"
)

// Line is what the status says.
type Line struct {
	U, Updates     int           // last update, updates of the whole run
	Loss, Norm, LR float64       //
	Made           int           // updates of this call
	Tokens         int64         // read in this call
	Elapsed        time.Duration // of this call, 0 when it is not measured
}

// String is the line without an end.
func (l Line) String() string {
	s := fmt.Sprintf("update %d/%d  loss %s  norm %s  lr %.1e", l.U, l.Updates, number(l.Loss, 3), number(l.Norm, 2), l.LR)
	if l.Elapsed > 0 && l.Made > 0 {
		s += "  " + rate(float64(l.Tokens)/l.Elapsed.Seconds()) + " tok/s"
		left := time.Duration(float64(l.Elapsed) / float64(l.Made) * float64(l.Updates-l.U))
		s += "  ETA " + left.Round(time.Second).String()
	}
	return s
}

// number has a fixed number of decimals where those show something.
func number(x float64, decimals int) string {
	if a := math.Abs(x); a != 0 && (a < math.Pow10(-decimals) || a >= 1e5) {
		return fmt.Sprintf("%.1e", x)
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

func rate(x float64) string {
	switch {
	case x >= 1e6:
		return fmt.Sprintf("%.1fM", x/1e6)
	case x >= 1e3:
		return fmt.Sprintf("%.1fk", x/1e3)
	}
	return fmt.Sprintf("%.0f", x)
}

// Status shows the progress of a run; the nil Status shows nothing.
type Status struct {
	W        io.Writer
	Terminal bool // rewrite one line; else write a line every Every updates or 30 s
	Color    bool
	Every    int // 0 = a twentieth of the run

	last  Line // shown last
	shown bool
	open  bool // a line on the terminal has no end yet
}

// Times between two lines.
const (
	redraw = 100 * time.Millisecond
	plain  = 30 * time.Second
)

// Update shows a line if it is time to; the first and the last of a run always are.
func (s *Status) Update(l Line) {
	if s == nil || s.W == nil {
		return
	}
	every := s.Every
	if every == 0 {
		every = max(1, l.Updates/20)
	}
	since := l.Elapsed - s.last.Elapsed
	due := l.U-s.last.U >= every || since >= plain
	if s.Terminal {
		due = since >= redraw || l.Elapsed == 0
	}
	if s.shown && !due && l.U != l.Updates {
		return
	}
	s.last, s.shown = l, true
	text := l.String()
	if s.Color {
		text = "\x1b[1mupdate" + "\x1b[0m" + text[len("update"):]
	}
	if s.Terminal {
		fmt.Fprintf(s.W, "\r%s\x1b[K", text)
		s.open = true
		return
	}
	fmt.Fprintln(s.W, text)
}

// Say writes a line of its own.
func (s *Status) Say(text string) {
	if s == nil || s.W == nil {
		return
	}
	s.Close()
	fmt.Fprintln(s.W, text)
}

// Close ends the line on a terminal; showing more afterwards is fine.
func (s *Status) Close() {
	if s != nil && s.open {
		fmt.Fprintln(s.W)
		s.open = false
	}
}
