package ir

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestInferRight(t *testing.T) {
	eachOp(t, func(t *testing.T, o Op, s signature, args []Type, attr Attr) {
		got, err := o.Infer(attr, args)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(typesOf(t, s.results), got); d != "" {
			t.Errorf("results (-want +got)\n%s", d)
		}
		if len(got) != len(o.Info().Results) {
			t.Errorf("%d results, the table names %d", len(got), len(o.Info().Results))
		}
		if got, want := o.FLOPs(attr, args), evaluate(t, s.flops); got != want {
			t.Errorf("FLOPs %d, want %s = %d", got, s.flops, want)
		}
		if got := o.Workspace(attr, args, 2); got < 0 || got > o.Workspace(attr, args, 3) {
			t.Errorf("workspace of 2 workers is %d bytes, of 3 %d", got, o.Workspace(attr, args, 3))
		}
	})
}

func TestInferWithoutOptional(t *testing.T) {
	eachOp(t, func(t *testing.T, o Op, s signature, args []Type, attr Attr) {
		for i, p := range o.Info().Args {
			less := slices.Clone(args)
			less[i] = Type{}
			got, err := o.Infer(attr, less)
			switch {
			case p.Optional && err != nil:
				t.Errorf("without %s: %v", p.Name, err)
			case p.Optional:
				if d := cmp.Diff(typesOf(t, s.results), got); d != "" {
					t.Errorf("without %s: (-want +got)\n%s", p.Name, d)
				}
			case err == nil || !strings.Contains(err.Error(), p.Name):
				t.Errorf("without %s: error %v does not name it", p.Name, err)
			}
		}
		if _, err := o.Infer(attr, args[:len(args)-1]); err == nil {
			t.Error("one argument too few is accepted")
		}
		if _, err := o.Infer(attr, append(slices.Clone(args), args[0])); err == nil {
			t.Error("one argument too many is accepted")
		}
	})
}

func TestInferWrongOperand(t *testing.T) {
	eachOp(t, func(t *testing.T, o Op, s signature, args []Type, attr Attr) {
		refuse := func(what string, i int, change Type) {
			wrong := slices.Clone(args)
			wrong[i] = change
			if _, err := o.Infer(attr, wrong); err == nil {
				t.Errorf("%s of %s is accepted: %v", what, o.Info().Args[i].Name, change)
			}
		}
		for i, p := range o.Info().Args {
			a := args[i]
			for _, d := range []DType{F32, F64, I32, BF16, F16} {
				if d != a.DType && !has(s.anyType, p.Name) && !(has(s.stored, p.Name) && d.Float()) {
					refuse("element type", i, Type{d, a.Shape})
				}
			}
			if has(s.anyDim, p.Name) {
				continue
			}
			refuse("rank", i, Type{a.DType, append(slices.Clone(a.Shape), 1)})
			for k := range a.Shape {
				other := slices.Clone(a.Shape)
				other[k]++
				if !has(s.anyDim, p.Name+"."+string(rune('0'+k))) {
					refuse("dimension", i, Type{a.DType, other})
				}
				other[k] = 0
				refuse("empty dimension", i, Type{a.DType, slices.Clone(other)})
			}
		}
	})
}

func has(list, name string) bool { return slices.Contains(strings.Fields(list), name) }

func TestInferAttributes(t *testing.T) {
	all := map[string]string{"heads": "=1", "kvHeads": "=1", "headDim": "=1", "seqLen": "=1", "scale": "=1", "eps": "=1",
		"base": "=1", "tanh": "", "inverse": "", "rate": "=0.5", "site": "=1", "seed": "=1", "index": "=1", "beta1": "=1", "beta2": "=1",
		"decay": "=1", "lrScale": "=1", "momentum": "=1", "nesterov": "", "maxNorm": "=1"}
	if got, _ := full().fields(); len(got) != len(all) {
		t.Fatalf("this test knows %d attributes, Attr has %d", len(all), len(got))
	}
	eachOp(t, func(t *testing.T, o Op, s signature, args []Type, attr Attr) {
		for name, value := range all {
			if slices.Contains(o.Info().Attrs, name) {
				continue
			}
			if _, err := o.Infer(attrOf(t, s.attr+" "+name+value), args); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("attribute %s: error %v does not name it", name, err)
			}
		}
		for _, bad := range s.bad {
			if _, err := o.Infer(attrOf(t, bad), args); err == nil {
				t.Errorf("attributes {%s} are accepted", bad)
			}
		}
	})
}

// TestTable checks that the names in a row refer to each other.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for o := range NumOps {
		info := o.Info()
		if info.Name == "" || info.Doc == "" || seen[info.Name] {
			t.Errorf("op %d: name %q is empty or taken, or it has no meaning", o, info.Name)
		}
		seen[info.Name] = true
		if got, err := ParseOp(info.Name); err != nil || got != o {
			t.Errorf("ParseOp(%q) = %v, %v", info.Name, got, err)
		}
		if o != OpLeaf && info.shape == nil {
			t.Errorf("%s has no shape rule", o)
		}
		known, _ := full().fields()
		for _, a := range info.Attrs {
			if !slices.Contains(known, a) {
				t.Errorf("%s: attribute %s does not exist", o, a)
			}
		}
		for i, r := range info.Results {
			k := o.Over(i)
			if (k >= 0) != (r.Over != "") || k >= 0 && (info.Args[k].Optional || info.Args[k].Name != r.Over) {
				t.Errorf("%s: result %s is stored over %q", o, r.Name, r.Over)
			}
			if o.Result(r.Name) != i {
				t.Errorf("%s: result %s is not found by name", o, r.Name)
			}
		}
	}
	if _, err := ParseOp("lineal"); err == nil {
		t.Error("an unknown op is found")
	}
}

// TestAgain checks that each shortcut infers the type of the result it reproduces.
func TestAgain(t *testing.T) {
	eachOp(t, func(t *testing.T, o Op, s signature, args []Type, attr Attr) {
		results := typesOf(t, s.results)
		for _, a := range o.Info().Again {
			var with []Type
			for _, name := range a.Args {
				if i := o.Arg(name); i >= 0 {
					with = append(with, args[i])
				} else if i := o.Result(name); i >= 0 && name != a.Result {
					with = append(with, results[i])
				} else {
					t.Fatalf("%s by %s: %s is neither argument nor other result", a.Result, a.Op, name)
				}
			}
			var fields []string
			for _, f := range strings.Fields(s.attr) {
				if name, _, _ := strings.Cut(f, "="); slices.Contains(a.Op.Info().Attrs, name) {
					fields = append(fields, f)
				}
			}
			got, err := a.Op.Infer(attrOf(t, strings.Join(fields, " ")), with)
			if err != nil || !got[0].Equal(results[o.Result(a.Result)]) {
				t.Errorf("%s by %s: %v, %v", a.Result, a.Op, got, err)
			}
		}
	})
}

// full has every field set.
func full() Attr {
	return Attr{Heads: 1, KVHeads: 2, HeadDim: 3, SeqLen: 4, Scale: 6.5, Eps: 1e-5, Base: 1e4, Tanh: true, Inverse: true, Rate: 0.1,
		Site: 64, Seed: -9, Index: 2, Beta1: 0.9, Beta2: 0.95, Decay: 0.1, LRScale: 0.5, Momentum: 0.9, Nesterov: true, MaxNorm: 1}
}

func TestAttrText(t *testing.T) {
	for _, a := range []Attr{{}, full(), {Scale: 1.0 / 3}, {Eps: 5e-324}, {Seed: -1 << 63}} {
		got, err := parseAttr(a.String())
		if err != nil || got != a {
			t.Errorf("%v: read back as %v, %v", a, got, err)
		}
	}
	for _, bad := range []string{"{hedas=1}", "{heads}", "{heads=x}", "{scale=}", "{tanh=1}", "{seed=1.5}", "{heads=99999999999999999999}"} {
		if a, err := parseAttr(bad); err == nil {
			t.Errorf("%s is read as %v", bad, a)
		}
	}
}

func TestTypeText(t *testing.T) {
	for _, u := range []Type{Of(F32, 8, 16), Of(I32, 1), Of(F64, 2, 3, 4), Of(BF16, 7), Of(F16, 9)} {
		if got, err := ParseType(u.String()); err != nil || !got.Equal(u) {
			t.Errorf("%v: read back as %v, %v", u, got, err)
		}
	}
	for _, bad := range []string{"", "f32", "f32[", "f32[]", "f32[0]", "f32[-1]", "f32[2,]", "f8[2]", "invalid[2]", "f32[2]x", "[2]"} {
		if u, err := ParseType(bad); err == nil {
			t.Errorf("%q is read as %v", bad, u)
		}
	}
	if got := Of(BF16, 3, 5).Bytes(); got != 30 {
		t.Errorf("bytes %d, want 30", got)
	}
	if a, b := Of(F32, 2, 3), Of(F32, 3, 2); a.Equal(b) || a.Equal(Of(I32, 2, 3)) || a.Equal(Of(F32, 2)) || !a.Equal(Of(F32, 2, 3)) {
		t.Error("Equal compares something else than element type and shape")
	}
}

// FuzzInfer: whatever the operands are, the table answers.
func FuzzInfer(f *testing.F) {
	for o := range NumOps {
		f.Add(uint8(o), int64(4), int64(2), 0.5, []byte{1, 2, 12, 10, 1, 1, 10})
	}
	f.Fuzz(func(t *testing.T, op uint8, n, m int64, x float64, shapes []byte) {
		a := Attr{}
		if m%3 != 0 {
			a = Attr{Heads: int(n), KVHeads: int(m), HeadDim: int(n ^ m), SeqLen: int(n), Scale: x, Base: x, Index: int(m)}
		}
		args := typesFrom(shapes, n)
		ts, err := Op(op).Infer(a, args)
		if err != nil {
			return
		}
		if len(ts) != len(Op(op).Info().Results) {
			t.Errorf("%v: %d results", Op(op), len(ts))
		}
		for i, r := range ts {
			if k := Op(op).Over(i); k >= 0 && !r.Equal(args[k]) {
				t.Errorf("%v: result %d is %v over %v", Op(op), i, r, args[k])
			}
		}
		Op(op).FLOPs(a, args)
		Op(op).Workspace(a, args, 3)
	})
}

// typesFrom reads element type, rank and dimensions from bytes; 255 is a big dimension.
func typesFrom(b []byte, big int64) (ts []Type) {
	for len(b) >= 2 {
		u := Type{DType: DType(b[0] % 8)}
		rank := int(b[1] % 4)
		b = b[2:]
		for range min(rank, len(b)) {
			d := int(b[0])
			if d == 255 {
				d = int(big)
			}
			u.Shape = append(u.Shape, d)
			b = b[1:]
		}
		ts = append(ts, u)
	}
	return ts
}

// TestAnew: what begins anew in the first micro-batch of a window is stored over an
// argument, by an op that the control buffer tells which it is.
func TestAnew(t *testing.T) {
	var found []string
	for op := range NumOps {
		for k, r := range op.Info().Results {
			if !r.Anew {
				continue
			}
			found = append(found, op.String()+" "+r.Name)
			if op.Over(k) < 0 || op.Arg("ctl") < 0 {
				t.Errorf("%s: result %s begins anew, without an argument that it is stored over or without ctl", op, r.Name)
			}
		}
	}
	want := []string{"embed.grad g'", "embed.rows c'", "pos.grad g'", "layernorm.grad gw'", "layernorm.grad gb'", "rmsnorm.grad gw'",
		"linear.dw g'", "linear.db g'", "head.loss.grad g'"}
	if d := cmp.Diff(want, found); d != "" {
		t.Errorf("gradients that continue or begin (-want +got):\n%s", d)
	}
}
