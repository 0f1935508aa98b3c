package plan

import (
	"slices"

	"github.com/gradcue/gradcue/compiler/ir"
)

// commands checks each command of a section on its own, and the events.
func (c *checker) commands(s ir.Section) {
	commands := c.p.Sections[s].Commands
	recorded := make([]bool, c.events)
	for i := range commands {
		m := &commands[i]
		if m.Stream < 0 || m.Stream >= NumStreams {
			c.add("plan.command", c.command(s, i), "stream is %d, expected 0 (compute), 1 (out) or 2 (in)", m.Stream)
			continue
		}
		c.labels(s, i, m)
		switch m.Kind {
		case Launch, Copy:
			c.apply(s, i, m)
		case Record, Wait:
			c.event(s, i, m, recorded)
		default:
			c.add("plan.command", c.command(s, i), "kind is %.40q, expected launch, copy, record or wait", m.Kind)
		}
	}
}

// labels checks what reports show of a command.
func (c *checker) labels(s ir.Section, i int, m *Command) {
	if _, err := ir.ParsePhase(m.Phase); m.Phase != "" && err != nil {
		c.add("plan.command", c.command(s, i), "phase is %.40q, which is none", m.Phase)
	}
	if m.Origin < 0 || m.Origin > 0 && m.Origin >= len(c.p.Provenance.Origins) {
		c.add("plan.command", c.command(s, i), "origin is %d, the plan lists %d", m.Origin, len(c.p.Provenance.Origins))
	}
	if m.Layer < 0 || m.Nanos < 0 {
		c.add("plan.command", c.command(s, i), "layer %d or time %d is negative", m.Layer, m.Nanos)
	}
}

// event checks a record or a wait against the events recorded so far.
func (c *checker) event(s ir.Section, i int, m *Command, recorded []bool) {
	switch {
	case m.Op != "" || len(m.Args)+len(m.Results) > 0 || m.Work != 0 || m.Attr != nil:
		c.add("plan.command", c.command(s, i), "a %s has no op and no operands", m.Kind)
	case m.Event < 0 || m.Event >= len(recorded):
		c.add("plan.event", c.command(s, i), "event is %d, expected 0 to %d", m.Event, len(recorded)-1)
	case m.Kind == Record && recorded[m.Event]:
		c.add("plan.event", c.command(s, i), "event %d is recorded a second time", m.Event)
	case m.Kind == Record:
		recorded[m.Event] = true
	case !recorded[m.Event]:
		c.add("plan.event", c.command(s, i), "event %d is not recorded before it is waited for", m.Event)
	}
}

// apply checks a launch or a copy: op and stream, then operands, then types.
func (c *checker) apply(s ir.Section, i int, m *Command) {
	op, err := ir.ParseOp(m.Op)
	if err != nil || op == ir.OpLeaf {
		c.add("plan.command", c.command(s, i), "op is %.40q, which no engine can run", m.Op)
		return
	}
	kind, stream := Launch, Compute
	switch op {
	case ir.OpCopyOut:
		kind, stream = Copy, Out
	case ir.OpCopyIn:
		kind, stream = Copy, In
	case ir.OpCopyStage:
		kind = Copy
	}
	if m.Kind != kind || m.Stream != stream || m.Event != 0 {
		c.add("plan.command", c.command(s, i), "%s is a %s on stream %s without event, found %s on %s with event %d",
			op, kind, stream, m.Kind, m.Stream, m.Event)
		return
	}
	if c.operands(s, i, m, op) && c.aliases(s, i, m, op) {
		c.fit(s, i, m, op)
	}
}

// operands checks number, index, tier and life of a command's buffers.
func (c *checker) operands(s ir.Section, i int, m *Command, op ir.Op) bool {
	info := op.Info()
	if len(m.Args) != len(info.Args) || len(m.Results) != len(info.Results) {
		c.add("plan.command", c.command(s, i), "has %d arguments and %d results, expected %d and %d",
			len(m.Args), len(m.Results), len(info.Args), len(info.Results))
		return false
	}
	ok := true
	for k, b := range m.Args {
		if b == -1 && info.Args[k].Optional {
			continue
		}
		ok = c.operand(s, i, b, info.Args[k].Name, argTier(op, k)) && ok
	}
	for k, b := range m.Results {
		tier := ir.Device
		if over := op.Over(k); over >= 0 {
			tier = argTier(op, over)
		}
		ok = c.operand(s, i, b, info.Results[k].Name, tier) && ok
	}
	if m.Work != 0 {
		ok = c.operand(s, i, m.Work-1, "workspace", ir.Device) && ok
	}
	return ok
}

// argTier is the tier that an argument must be on: host memory is reached by copies only.
func argTier(op ir.Op, arg int) ir.Tier {
	if op == ir.OpCopyOut && arg == op.Arg("host") || op == ir.OpCopyIn {
		return ir.Host
	}
	return ir.Device
}

// operand checks one buffer of a command.
func (c *checker) operand(s ir.Section, i, b int, name string, tier ir.Tier) bool {
	if b < 0 || b >= len(c.p.Buffers) {
		c.add("plan.command", c.command(s, i), "%s is buffer %d, the plan has %d", name, b, len(c.p.Buffers))
		return false
	}
	u := &c.p.Buffers[b]
	switch {
	case c.region[b]:
		c.add("plan.region", c.command(s, i), "%s is %s, a region that other buffers are inside of", name, c.buffer(b))
	case u.Tier != tier.String():
		c.add("plan.command", c.command(s, i), "%s is %s on tier %s, expected %s", name, c.buffer(b), u.Tier, tier)
	case !u.Run && (ir.Section(u.Section) != s || i < u.First || i > u.Last):
		c.add("plan.life", c.command(s, i), "%s is %s, which lives in section %d from command %d to %d",
			name, c.buffer(b), u.Section, u.First, u.Last)
	case u.Run && s == ir.Micro && i < u.From:
		c.add("plan.life", c.command(s, i), "%s is %s, which holds nothing before command %d", name, c.buffer(b), u.From)
	default:
		return true
	}
	return false
}

// aliases checks that results are stored over arguments exactly where the op
// table says so, and that nothing else of the command is the same buffer as
// something that it writes.
func (c *checker) aliases(s ir.Section, i int, m *Command, op ir.Op) bool {
	info := op.Info()
	for k, r := range m.Results {
		over := op.Over(k)
		if over >= 0 && m.Args[over] != r {
			c.add("plan.alias", c.command(s, i), "result %s is %s, expected the buffer of argument %s",
				info.Results[k].Name, c.buffer(r), info.Args[over].Name)
			return false
		}
		for a, b := range m.Args {
			if b == r && a != over {
				c.add("plan.alias", c.command(s, i), "argument %s and result %s are both %s",
					info.Args[a].Name, info.Results[k].Name, c.buffer(r))
				return false
			}
		}
		if slices.Contains(m.Results[:k], r) {
			c.add("plan.alias", c.command(s, i), "two results are %s", c.buffer(r))
			return false
		}
	}
	if w := m.Work - 1; w >= 0 && (slices.Contains(m.Args, w) || slices.Contains(m.Results, w)) {
		c.add("plan.alias", c.command(s, i), "workspace %s is also an operand", c.buffer(w))
		return false
	}
	return true
}

// fit recomputes the types of the results and the scratch space.
func (c *checker) fit(s ir.Section, i int, m *Command, op ir.Op) {
	var attr ir.Attr
	if m.Attr != nil {
		attr = *m.Attr
	}
	for _, n := range []int{attr.Heads, attr.KVHeads, attr.HeadDim, attr.SeqLen, attr.Site, attr.Index} {
		if n < 0 || n > maxAttr {
			c.add("plan.command", c.command(s, i), "an attribute is %d, expected 0 to %d", n, maxAttr)
			return
		}
	}
	o := c.types.apply(op, attr, m.Args, c.p.Workers)
	if o.err != nil {
		c.add("plan.types", c.command(s, i), "%v", o.err)
		return
	}
	for k, r := range m.Results {
		if c.types.of[r] != o.results[k] {
			c.add("plan.types", c.command(s, i), "result %s is %v, the op table says otherwise",
				op.Info().Results[k].Name, c.types.types[c.types.of[r]])
			return
		}
	}
	c.scratch(s, i, m, o.work)
}

// scratch checks the workspace: big enough, and of its own class. Other targets
// than cpu have their own sizes.
func (c *checker) scratch(s ir.Section, i int, m *Command, need int64) {
	var have int64
	if m.Work > 0 {
		w := &c.p.Buffers[m.Work-1]
		if have = w.Bytes; w.Class != ir.Workspace.String() {
			c.add("plan.workspace", c.command(s, i), "scratch space is %s of class %s", c.buffer(m.Work-1), w.Class)
		}
	}
	if c.p.Target == "cpu" && have < need {
		c.add("plan.workspace", c.command(s, i), "has %d bytes of scratch space, needs %d", have, need)
	}
}
