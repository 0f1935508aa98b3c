package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

// Measures of the picture, in units of the SVG.
const (
	width, height    = 1240, 560
	left, right      = 96.0, 206.0 // axis labels; legend
	top, bottom      = 84.0, 46.0  // title and section names; command numbers
	plotW, plotH     = width - left - right, height - top - bottom
	gap              = 10.0 // between two sections
	headroom         = 1.06 // of the axis over the largest value
	axisTicks        = 5
	arenaColor       = "#b3261e"
	textColor, faint = "#1f2328", "#8a9099"
)

// layers is the order of the stack from below, with its colours: what stays
// comes before what comes and goes.
var layers = []struct {
	class ir.Class
	color string
}{
	{ir.Parameter, "#3f5e86"},
	{ir.Gradient, "#6f93bd"},
	{ir.Optimizer, "#a9c0dc"},
	{ir.Master, "#8f86b8"},
	{ir.Input, "#b9bfc7"},
	{ir.Staging, "#e2b84d"},
	{ir.Activation, "#5aa17a"},
	{ir.Transient, "#dd8f58"},
	{ir.Workspace, "#bb6570"},
}

// strip is a section in the picture: its ledger between two places of the x axis.
type strip struct {
	name   string
	from   float64
	to     float64
	ledger []plan.Moment
}

// Memory draws M_t by class of the device tier as SVG. x is the command, not
// the time: the peak is a property of the order, and short commands would vanish.
// Where several commands share a column the one with the largest M_t is drawn.
func Memory(p *plan.Plan) []byte {
	strips := strips(p)
	most := float64(max(p.Arenas[ir.Device].Bytes, p.Predictions.Peak.Bytes, 1)) * headroom
	d := drawing{most: most}
	d.open(p)
	d.axis()
	for i := range strips {
		d.strip(&strips[i])
	}
	d.arena(p)
	d.peak(p, strips)
	d.legend(p)
	d.put("</svg>\n")
	return []byte(d.b.String())
}

// strips gives each section with commands a share of the x axis, by the square
// root of their number: the update of a large model has the most commands and
// the least to see.
func strips(p *plan.Plan) (out []strip) {
	total := 0.0
	for sec := range ir.NumSections {
		if l := p.Ledger(sec, ir.Device); len(l) > 0 {
			out = append(out, strip{name: sec.String(), ledger: l})
			total += share(l)
		}
	}
	room := plotW - gap*float64(max(0, len(out)-1))
	at := left
	for i := range out {
		out[i].from = at
		out[i].to = at + room*share(out[i].ledger)/total
		at = out[i].to + gap
	}
	return out
}

func share(l []plan.Moment) float64 { return math.Sqrt(float64(len(l))) }

// columns are the moments to draw and where each begins.
func (s *strip) columns() (xs []float64, ms []*plan.Moment) {
	n := len(s.ledger)
	cells := min(n, max(1, int(s.to-s.from)))
	for i := range cells {
		first, last := i*n/cells, (i+1)*n/cells
		m := &s.ledger[first]
		for t := first + 1; t < last; t++ {
			if s.ledger[t].Total() > m.Total() {
				m = &s.ledger[t]
			}
		}
		xs = append(xs, s.from+(s.to-s.from)*float64(i)/float64(cells))
		ms = append(ms, m)
	}
	return append(xs, s.to), ms
}

// x is where a command begins.
func (s *strip) x(command int) float64 {
	return s.from + (s.to-s.from)*float64(command)/float64(len(s.ledger))
}

type drawing struct {
	b    strings.Builder
	most float64 // bytes at the top of the plot
}

func (d *drawing) put(format string, args ...any) { fmt.Fprintf(&d.b, format, args...) }

func (d *drawing) y(bytes int64) float64 { return top + plotH*(1-float64(bytes)/d.most) }

// strip draws the stack of one section and its name.
func (d *drawing) strip(s *strip) {
	d.put("<text x=\"%.1f\" y=\"%.1f\" class=\"s\">%s</text>\n", s.from, top-8, s.name)
	d.put("<text x=\"%.1f\" y=\"%.1f\" class=\"f\">0</text>\n", s.from, top+plotH+16)
	d.put("<text x=\"%.1f\" y=\"%.1f\" class=\"f e\">%d</text>\n", s.to, top+plotH+16, len(s.ledger)-1)
	xs, ms := s.columns()
	below := make([]int64, len(ms))
	for _, l := range layers {
		above := make([]int64, len(ms))
		any := false
		for i, m := range ms {
			above[i] = below[i] + m[l.class]
			any = any || m[l.class] > 0
		}
		if any {
			d.put("<path class=\"a\" fill=\"%s\" d=\"%s%sZ\"><title>%s in %s</title></path>\n", l.color, d.edge(xs, above, false), d.edge(xs, below, true), l.class, s.name)
		}
		below = above
	}
}

// edge is a line in steps: forward it starts a path, back it goes on with one.
func (d *drawing) edge(xs []float64, vs []int64, back bool) string {
	var b strings.Builder
	n := len(vs)
	step := func(from, to float64, v int64) {
		verb := "L"
		if b.Len() == 0 && !back {
			verb = "M"
		}
		fmt.Fprintf(&b, "%s%.1f %.1fH%.1f", verb, from, d.y(v), to)
	}
	for i := 0; i < n; {
		j := i + 1
		if !back {
			for j < n && vs[j] == vs[i] {
				j++
			}
			step(xs[i], xs[j], vs[i])
			i = j
			continue
		}
		for j < n && vs[n-1-j] == vs[n-1-i] {
			j++
		}
		step(xs[n-i], xs[n-j], vs[n-1-i])
		i = j
	}
	return b.String()
}
