package plan_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/compiler/plan/plantest"
)

func encode(t *testing.T, p *plan.Plan) []byte {
	t.Helper()
	b, err := plan.Encode(p)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestEncodeIsInvertedByDecode(t *testing.T) {
	p := plantest.GPT(plantest.Small())
	p.Name, p.Provenance.Files = "a<b & ü", []string{"train.cue"}
	if err := plan.Seal(p); err != nil {
		t.Fatal(err)
	}
	data := encode(t, p)
	q, err := plan.Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(p, q); d != "" {
		t.Errorf("decoded plan differs (-encoded +decoded):\n%s", d)
	}
	if again := encode(t, q); !bytes.Equal(data, again) {
		t.Error("encoding the decoded plan gives other bytes")
	}
	if !bytes.Contains(data, []byte("a<b & ü")) {
		t.Error("the name is escaped")
	}
	if n := bytes.Count(data, []byte("\n")); n != 1 || data[len(data)-1] != '\n' {
		t.Errorf("%d newlines, want one at the end", n)
	}
}

func TestDecodeRefuses(t *testing.T) {
	good := string(encode(t, plantest.GPT(plantest.Small())))
	for _, c := range []struct{ name, data, want string }{
		{"nothing", "", "EOF"},
		{"null", "null", "null"},
		{"a list", "[]", "cannot unmarshal"},
		{"half a plan", good[:len(good)/2], "unexpected EOF"},
		{"data after it", good + "{}", "follows the end"},
		{"an unknown field", strings.Replace(good, `{"version"`, `{"versiom":1,"version"`, 1), "unknown field"},
		{"another version", strings.Replace(good, `{"version":1`, `{"version":2`, 1), "version 2"},
		{"a fractional offset", strings.Replace(good, `"o":0`, `"o":0.5`, 1), "cannot unmarshal"},
		{"an overflowing offset", strings.Replace(good, `"o":0`, `"o":9223372036854775808`, 1), "cannot unmarshal"},
		{"no hash", strings.Replace(good, `"file":"`, `"file":"0`, 1), "changed or damaged"},
		{"many objects", `[` + strings.Repeat("{},", 1<<20) + `{}]`, "objects"},
	} {
		if c.data == good {
			t.Fatalf("%s: nothing was replaced", c.name)
		}
		_, err := plan.Decode([]byte(c.data))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want %q in it", c.name, err, c.want)
		}
	}
	if _, err := plan.Decode(make([]byte, plan.MaxBytes+1)); err == nil || !strings.Contains(err.Error(), "256 MiB") {
		t.Errorf("too large: %v", err)
	}
}

// TestEveryByteCounts changes values one at a time; each must be noticed.
func TestEveryByteCounts(t *testing.T) {
	for name, change := range map[string]func(p *plan.Plan){
		"offset":     func(p *plan.Plan) { p.Buffers[9].Offset += plan.Align },
		"argument":   func(p *plan.Plan) { p.Sections[ir.Micro].Commands[3].Args[0]++ },
		"seed":       func(p *plan.Plan) { p.Run.Seed++ },
		"prediction": func(p *plan.Plan) { p.Predictions.FLOPs++ },
		"time":       func(p *plan.Plan) { p.Sections[0].Commands[1].Nanos++ },
		"program":    func(p *plan.Plan) { p.Hashes.Program = p.Hashes.Identity },
		"identity":   func(p *plan.Plan) { p.Hashes.Identity = p.Hashes.Program },
	} {
		p := plantest.GPT(plantest.Small())
		change(p)
		if _, err := plan.Decode(encode(t, p)); !errors.Is(err, plan.ErrDamaged) {
			t.Errorf("%s: error is %v, want ErrDamaged", name, err)
		}
	}
}

func TestEncodeRefusesWhatJSONCannotHold(t *testing.T) {
	p := plantest.GPT(plantest.Small())
	p.Run.Optimizer.LR = math.Inf(1)
	if _, err := plan.Encode(p); err == nil {
		t.Error("an infinite rate is encoded")
	}
	if plan.Seal(p) == nil {
		t.Error("an infinite rate is sealed")
	}
}

// FuzzDecode: no bytes make Decode or Validate panic, with or without right
// hashes, and what decodes encodes to a fixed point.
func FuzzDecode(f *testing.F) {
	n := plantest.New(1, 1, 2, 2)
	x := n.Keep("x", ir.Input, ir.Of(ir.F32, 4))
	n.In(ir.Micro)
	n.Do(ir.OpAdd, ir.Attr{}, x, x)
	n.After(plan.Out, plan.Compute)
	small, err := plan.Encode(n.Plan())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(small)
	c := plantest.Small()
	c.Layers, c.Slots = 2, 1
	large, err := plan.Encode(plantest.GPT(c))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(large)
	f.Add([]byte(`{"version":1,"buffers":[{"s":[4611686018427387904,4],"in":1}],"sections":[{"commands":[{"k":"wait","e":-1}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, err := plan.Decode(data); err == nil {
			again, err := plan.Encode(p)
			if err != nil {
				t.Fatal(err)
			}
			if q, err := plan.Decode(again); err != nil || !cmp.Equal(p, q) {
				t.Errorf("encoding is no fixed point: %v", err)
			}
		}
		var p plan.Plan
		if json.Unmarshal(data, &p) == nil {
			_ = plan.Validate(&p)
			_ = plan.IdentityParts(&p)
		}
	})
}
