package check

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/gradcue/gradcue/spec/shape"
)

var auxLoss = Rule{
	ID: "aux.loss", Title: "auxiliary losses have one strength",
	Formula: "Π factors = coefficient in every layout; divisor and positions as in the main loss; gradient reaches the router",
	Doc:     `An auxiliary loss is a term of the same window: divided by what the main loss is divided by, multiplied by its coefficient once and by nothing else, counted over valid positions only, computed before tokens are padded or dropped, and its gradient arrives at the router. pipeline.aux lists everything that multiplies it; symbols are coefficient, K (micro-batches), R (replicas), those of sizes, and any other name. A factor such as tp*cp makes the same coefficient mean different things in different layouts.`,
	Spec: func(in *Input) (fs []Finding) {
		a := part(in, func(p *shape.Pipeline) *shape.AuxPipeline { return p.Aux })
		for i := range a.Terms {
			if t := &a.Terms[i]; t.Coefficient != 0 {
				fs = append(fs, auxTerm(in, t, fmt.Sprintf("pipeline.aux.terms.%d", i))...)
			}
		}
		return fs
	},
}

func auxTerm(in *Input, t *shape.AuxLoss, field string) (fs []Finding) {
	add := func(at, help, format string, args ...any) {
		fs = append(fs, Finding{Field: field + at, Related: []string{field}, Help: help, Summary: fmt.Sprintf("auxiliary loss "+t.Name+" "+format, args...)})
	}
	if t.Reaches == "nothing" {
		add(".reaches", "keep the tensor that carries its gradient in the graph", "gives the router no gradient: its coefficient %g has no effect", t.Coefficient)
	}
	if t.Counts == "all" {
		add(".counts", "weigh each position with its validity", "counts padding%s", balance(t.Routed))
	}
	if t.Computed == "after" {
		add(".computed", "compute it before tokens are padded or dropped", "is computed after padding and dropping: it does not see what the router chose")
	}
	if k := in.Experiment.Window.MicroBatches; t.Divisor == "micro-batch" && k > 1 {
		add(".divisor", "divide it by what the main loss is divided by", "is divided by the positions of a micro-batch, the main loss by those of the window: over %d micro-batches it is about %d times too large", k, k)
	}
	if t.Divisor == "none" {
		add(".divisor", "divide it by what the main loss is divided by", "is not divided, the main loss is: its strength grows with the tokens of a window, %d here", in.Experiment.Window.Tokens)
	}
	return append(fs, auxFactors(in, t, field)...)
}

// balance shows a load-balance loss E·Σ f_e² with pads and without.
func balance(r *shape.Routed) string {
	if r == nil || len(r.Real) != len(r.Pads) {
		return ""
	}
	loss := func(with int64) float64 {
		total, sum := 0.0, 0.0
		for e := range r.Real {
			total += float64(r.Real[e] + with*r.Pads[e])
		}
		for e := range r.Real {
			f := float64(r.Real[e]+with*r.Pads[e]) / max(1, total)
			sum += f * f
		}
		return float64(len(r.Real)) * sum
	}
	pads := int64(0)
	for _, n := range r.Pads {
		pads += n
	}
	return fmt.Sprintf(": with %s the loss is %.4f, right is %.4f", plural(pads, "pad"), loss(1), loss(0))
}

// auxProduct is a number times powers of symbols.
type auxProduct struct {
	number *big.Rat
	power  map[string]int
}

// auxMultiply parses "a*b/c" and multiplies it in.
func (p *auxProduct) multiply(text string) error {
	invert := false
	for {
		at := strings.IndexAny(text, "*/")
		word := text
		if at >= 0 {
			word = text[:at]
		}
		word = strings.TrimSpace(word)
		n, isNumber := new(big.Rat).SetString(word)
		switch {
		case word == "" || strings.ContainsAny(word, " ()+") || isNumber && n.Sign() == 0:
			return fmt.Errorf("%q is no number and no name", word)
		case isNumber && invert:
			p.number.Quo(p.number, n)
		case isNumber:
			p.number.Mul(p.number, n)
		case invert:
			p.power[word]--
		default:
			p.power[word]++
		}
		if at < 0 {
			return nil
		}
		invert, text = text[at] == '/', text[at+1:]
	}
}

// put replaces symbols by their numbers.
func (p *auxProduct) put(sizes map[string]int64) {
	for name, n := range sizes {
		x := new(big.Rat).SetInt64(n)
		for ; p.power[name] > 0; p.power[name]-- {
			p.number.Mul(p.number, x)
		}
		for ; p.power[name] < 0; p.power[name]++ {
			p.number.Quo(p.number, x)
		}
	}
}

// String prints what is left besides the coefficient.
func (p *auxProduct) String() string {
	var parts []string
	if p.number.Cmp(big.NewRat(1, 1)) != 0 {
		parts = append(parts, p.number.RatString())
	}
	for _, name := range slices.Sorted(maps.Keys(p.power)) {
		switch n := p.power[name]; {
		case n == 1:
			parts = append(parts, name)
		case n != 0:
			parts = append(parts, fmt.Sprintf("%s^%d", name, n))
		}
	}
	if len(parts) == 0 {
		return "1"
	}
	return strings.Join(parts, "*")
}

// auxFactors checks that the factors multiply to the coefficient in every layout.
func auxFactors(in *Input, t *shape.AuxLoss, field string) []Finding {
	layouts := []shape.AuxLayout{{}}
	if len(t.Layouts) > 0 {
		layouts = t.Layouts
	}
	var wrong []string
	for i, l := range layouts {
		factors, at := t.Factors, field+".factors"
		if l.Factors != nil {
			factors, at = l.Factors, fmt.Sprintf("%s.layouts.%d.factors", field, i)
		}
		if factors == nil {
			continue
		}
		p := auxProduct{big.NewRat(1, 1), map[string]int{}}
		var who []string
		for k, f := range factors {
			if err := p.multiply(f.Is); err != nil {
				return []Finding{{Field: fmt.Sprintf("%s.%d.is", at, k), Summary: fmt.Sprintf("factor %q is not a product: %v", f.Is, err), Help: "use names and numbers with * and /, such as tp*cp or 1/K"}}
			}
			who = append(who, f.By+" "+f.Is)
		}
		w := &in.Experiment.Window
		sizes := map[string]int64{"K": w.MicroBatches, "R": w.Replicas}
		maps.Copy(sizes, t.Sizes)
		maps.Copy(sizes, l.Sizes)
		p.put(sizes)
		p.power["coefficient"]--
		if s := p.String(); s != "1" {
			text := fmt.Sprintf("factor %s", s)
			if l.Name != "" {
				text += " in layout " + l.Name
			}
			wrong = append(wrong, fmt.Sprintf("%s (%s)", text, orNone(who)))
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	f := Finding{Field: field + ".factors", Related: []string{field + ".coefficient"}, Help: "apply the coefficient once, and the main loss's divisor, in every layout",
		Summary: fmt.Sprintf("auxiliary loss %s has, besides its coefficient, %s", t.Name, strings.Join(wrong, ", "))}
	return []Finding{f}
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "no factor at all"
	}
	return strings.Join(list, ", ")
}
