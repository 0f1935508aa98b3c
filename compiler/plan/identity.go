package plan

import (
	"reflect"
	"strings"

	"github.com/gradcue/gradcue/compiler/loss"
	"github.com/gradcue/gradcue/compiler/rate"
)

// identity is what decides the numbers of a run. Placement, the split of the
// window into micro-batches, workers and target are not in it: they may differ
// without changing a bit.
type identity struct {
	Model     Model           `json:"model"`
	Params    []identityParam `json:"params"`
	Data      Data            `json:"data"`
	Loss      loss.Policy     `json:"loss"`
	Window    identityWindow  `json:"window"`
	Optimizer Optimizer       `json:"optimizer"`
	Rate      rate.Schedule   `json:"rate"`
	Precision Precision       `json:"precision"`
	Seed      int64           `json:"seed"`
	Init      Init            `json:"init"`
}

type identityParam struct {
	Name  string  `json:"name"`
	Shape []int   `json:"shape"`
	Init  string  `json:"init"`
	Std   float64 `json:"std"`
	Decay float64 `json:"decay"`
	Scale float64 `json:"lrScale"`
}

// identityWindow counts the window in tokens. The split itself takes part only
// where the objective depends on it: a mean over micro-batches.
type identityWindow struct {
	Tokens    int    `json:"tokens"` // K·B·T
	SeqLen    int    `json:"seqLen"` // T
	Last      string `json:"last"`
	Empty     string `json:"empty"`
	Normalize string `json:"normalize"`
	BatchSize int    `json:"batchSize,omitempty"` // B, of microbatch-mean
}

func identityOf(p *Plan) identity {
	r := &p.Run
	w := r.Window
	id := identity{Model: r.Model, Data: r.Data, Loss: r.Loss, Optimizer: r.Optimizer, Rate: r.Rate,
		Precision: r.Precision, Seed: r.Seed, Init: r.Init,
		Window: identityWindow{Tokens: w.MicroBatches * w.BatchSize * w.SeqLen, SeqLen: w.SeqLen,
			Last: w.Last, Empty: w.Empty, Normalize: r.Loss.Normalize}}
	if r.Loss.Normalize == "microbatch-mean" {
		id.Window.BatchSize = w.BatchSize
	}
	id.Params = make([]identityParam, len(r.Params))
	for i, q := range r.Params {
		id.Params[i] = identityParam{q.Name, q.Shape, q.Init, q.Std, q.Decay, q.Scale}
	}
	return id
}

// Part is one value of the identity: "window.seqLen" and "64".
type Part struct {
	Name  string
	Value string // canonical JSON
}

// IdentityParts lists what the identity hash is made of, in a fixed order: one
// part per field, and one per parameter, "params." and its name.
func IdentityParts(p *Plan) []Part {
	id := identityOf(p)
	var parts []Part
	v := reflect.ValueOf(id)
	for i := range v.NumField() {
		name, f := jsonName(v.Type().Field(i)), v.Field(i)
		switch f.Kind() {
		case reflect.Struct:
			for j := range f.NumField() {
				parts = append(parts, Part{name + "." + jsonName(f.Type().Field(j)), text(f.Field(j).Interface())})
			}
		case reflect.Slice:
			for _, q := range id.Params {
				parts = append(parts, Part{name + "." + q.Name, text(q)})
			}
		default:
			parts = append(parts, Part{name, text(f.Interface())})
		}
	}
	return parts
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// text is the canonical JSON of a value without its newline, or what is wrong with it.
func text(v any) string {
	b, err := canonical(v)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(string(b), "\n")
}

// Difference is a part of the identity that two plans do not share; a value is
// empty where the plan does not have the part.
type Difference struct {
	Name string
	A, B string
}

// IdentityDiff lists the parts of the identity in which two plans differ: those
// of a in its order, then those that only b has.
func IdentityDiff(a, b *Plan) []Difference {
	inB := map[string]string{}
	partsB := IdentityParts(b)
	for _, q := range partsB {
		inB[q.Name] = q.Value
	}
	var ds []Difference
	inA := map[string]bool{}
	for _, q := range IdentityParts(a) {
		inA[q.Name] = true
		if v := inB[q.Name]; v != q.Value {
			ds = append(ds, Difference{q.Name, q.Value, v})
		}
	}
	for _, q := range partsB {
		if !inA[q.Name] {
			ds = append(ds, Difference{q.Name, "", q.Value})
		}
	}
	return ds
}
