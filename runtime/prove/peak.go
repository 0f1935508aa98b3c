package prove

import (
	"fmt"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/null"
	"github.com/gradcue/gradcue/runtime/train"
)

var peak = Proof{
	ID: "peak", Title: "predicted bytes are allocated bytes",
	Formula: "M_peak = max_t Σ_i a_i(t)·b_i; arena = M_peak + fragments; allocated = arena, on each tier",
	Doc: `For every placement: the ledger is added up again, moment by moment, from the lives of the buffers and must
give the predicted peak; peak and fragments are the arena; the engine has allocated exactly the arenas; and the
null engine, which checks every read, write and event of every command, accepts two updates of the loop. Finds
a prediction that leaves something out, an allocation beside the plan, a life that is too short.`,
	run: (*bench).peak,
}

func (b *bench) peak(v *Verdict) error {
	var device, host int64
	commands := 0
	for _, c := range placed {
		p, err := b.plan(c.v)
		if err != nil {
			return err
		}
		if err := b.with(b.o.Engine, p, nil, func(t *trial) error {
			v.bytes(c.name, p, t.s.Allocated())
			return nil
		}); err != nil {
			return err
		}
		if _, err := b.train(null.Engine{}, p, train.Options{Steps: min(2, p.Run.Rate.Updates)}); err != nil {
			v.fail("%s: the null engine refuses the plan: %v", c.name, err)
		}
		for _, s := range p.Sections {
			commands += len(s.Commands)
		}
		device, host = max(device, p.Arenas[ir.Device].Bytes), max(host, p.Arenas[ir.Host].Bytes)
	}
	v.number("placements", len(placed))
	v.number("most on the device", device)
	v.number("on the host", host)
	v.number("commands checked", commands)
	return nil
}

// bytes compares prediction, ledger, arena and allocation.
func (v *Verdict) bytes(what string, p *plan.Plan, allocated [ir.NumTiers]int64) {
	most := int64(0)
	for s := range ir.NumSections {
		if at, n := plan.PeakOf(p.Ledger(s, ir.Device)); at >= 0 {
			most = max(most, n)
		}
	}
	if most != p.Predictions.Peak.Bytes {
		v.fail("%s: the ledger's peak is %d bytes, predicted are %d", what, most, p.Predictions.Peak.Bytes)
	}
	if sum := most + p.Predictions.Fragments; sum != p.Arenas[ir.Device].Bytes {
		v.fail("%s: peak and fragments are %d bytes, the arena has %d", what, sum, p.Arenas[ir.Device].Bytes)
	}
	for t := range ir.NumTiers {
		if want := p.Arenas[t].Bytes; allocated[t] != want {
			v.fail("%s: %s", what, fmt.Sprintf("%d bytes allocated on the %s, planned %d", allocated[t], t, want))
		}
	}
}
