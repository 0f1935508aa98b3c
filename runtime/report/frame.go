package report

import (
	"html"
	"math"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

// open writes the head of the picture: size, styles and title.
func (d *drawing) open(p *plan.Plan) {
	d.put("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">\n", width, height, width, height)
	d.put("<title>%s: device memory by class</title>\n", html.EscapeString(p.Name))
	d.put("<style>text{font:13px system-ui,sans-serif;fill:%s}.t{font-size:19px;font-weight:600}.s{font-weight:600}.f{font-size:11px;fill:%s}.e{text-anchor:end}.g{stroke:#e3e6ea}.a{shape-rendering:crispEdges}.p{fill:%s;font-weight:600}</style>\n",
		textColor, faint, arenaColor)
	d.put("<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", width, height)
	d.put("<text x=\"%.0f\" y=\"34\" class=\"t\">%s</text>\n", left, html.EscapeString(p.Name))
	d.put("<text x=\"%.0f\" y=\"54\" class=\"f\">device memory M_t by class over the commands of an update · %d workers · plan %.12s</text>\n", left, p.Workers, p.Hashes.Program)
}

// axis draws the lines of the y axis at round numbers of binary units.
func (d *drawing) axis() {
	step := roundStep(d.most / axisTicks)
	for v := int64(0); float64(v) <= d.most; v += step {
		y := d.y(v)
		d.put("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"g\"/>\n", left, y, left+plotW, y)
		d.put("<text x=\"%.1f\" y=\"%.1f\" class=\"f e\">%s</text>\n", left-8, y+4, plan.Bytes(v))
	}
}

// roundStep is 1, 2, 4, 8 … of a power of 1024, whichever is next.
func roundStep(bytes float64) int64 {
	return int64(1) << max(0, int(math.Ceil(math.Log2(bytes))))
}

// arena draws the line of what is allocated.
func (d *drawing) arena(p *plan.Plan) {
	n := p.Arenas[ir.Device].Bytes
	y := d.y(n)
	d.put("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-dasharray=\"5 4\"/>\n", left, y, left+plotW, y, arenaColor)
	d.put("<text x=\"%.1f\" y=\"%.1f\" class=\"p\">arena %s</text>\n", left+plotW+8, y+4, plan.Bytes(n))
}

// peak marks the command with the largest M_t.
func (d *drawing) peak(p *plan.Plan, strips []strip) {
	k := &p.Predictions.Peak
	for i := range strips {
		s := &strips[i]
		if s.name != k.Section || k.Command < 0 || k.Command >= len(s.ledger) {
			continue
		}
		x, y := s.x(k.Command), d.y(k.Bytes)
		d.put("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", x, y, x, top+plotH, arenaColor)
		d.put("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"><title>%s</title></circle>\n", x, y, arenaColor, html.EscapeString(k.What))
		d.put("<text x=\"%.1f\" y=\"%.1f\" class=\"p%s\">peak %s · %s · command %d</text>\n", x, top+plotH+34, anchor(x), plan.Bytes(k.Bytes), html.EscapeString(k.What), k.Command)
	}
}

// anchor keeps a text inside the picture.
func anchor(x float64) string {
	if x > left+plotW/2 {
		return " e"
	}
	return ""
}

// legend lists the classes at the peak, the topmost of the stack first.
func (d *drawing) legend(p *plan.Plan) {
	at := map[string]int64{}
	for _, c := range p.Predictions.ClassAtPeak {
		at[c.Class] = c.Bytes
	}
	x, y := left+plotW+12, top+76.0
	d.put("<text x=\"%.1f\" y=\"%.1f\" class=\"f\">at the peak</text>\n", x, y-22)
	for i := len(layers) - 1; i >= 0; i-- {
		l := layers[i]
		n, ok := at[l.class.String()]
		if !ok {
			continue
		}
		d.put("<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"12\" rx=\"2\" fill=\"%s\"/>\n", x, y-10, l.color)
		d.put("<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", x+18, y, l.class)
		d.put("<text x=\"%d\" y=\"%.1f\" class=\"e\">%s</text>\n", width-14, y, plan.Bytes(n))
		y += 22
	}
}
