package ir

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Attr holds the constants of a node. It is one flat struct; the op table names
// the fields that an op uses and the checker refuses any other that is set.
// Whatever changes between two runs of a section is not here but in the control
// buffer.
type Attr struct {
	Heads    int     `json:"heads,omitempty"`
	KVHeads  int     `json:"kvHeads,omitempty"`
	HeadDim  int     `json:"headDim,omitempty"`
	SeqLen   int     `json:"seqLen,omitempty"`
	Scale    float64 `json:"scale,omitempty"`
	Eps      float64 `json:"eps,omitempty"`
	Base     float64 `json:"base,omitempty"`
	Tanh     bool    `json:"tanh,omitempty"`
	Inverse  bool    `json:"inverse,omitempty"`
	Rate     float64 `json:"rate,omitempty"`
	Site     int     `json:"site,omitempty"`
	Seed     int64   `json:"seed,omitempty"`
	Index    int     `json:"index,omitempty"`
	Beta1    float64 `json:"beta1,omitempty"`
	Beta2    float64 `json:"beta2,omitempty"`
	Decay    float64 `json:"decay,omitempty"`
	LRScale  float64 `json:"lrScale,omitempty"`
	Momentum float64 `json:"momentum,omitempty"`
	Nesterov bool    `json:"nesterov,omitempty"`
	MaxNorm  float64 `json:"maxNorm,omitempty"`
}

// fields lists the set fields as name=value in declaration order.
func (a Attr) fields() (names, texts []string) {
	v := reflect.ValueOf(a)
	for i := range v.NumField() {
		f := v.Field(i)
		if f.IsZero() {
			continue
		}
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		names = append(names, name)
		switch f.Kind() {
		case reflect.Bool:
			texts = append(texts, name)
		case reflect.Float64:
			texts = append(texts, name+"="+strconv.FormatFloat(f.Float(), 'g', -1, 64))
		default:
			texts = append(texts, name+"="+strconv.FormatInt(f.Int(), 10))
		}
	}
	return names, texts
}

// String prints the set fields in braces, or nothing.
func (a Attr) String() string {
	_, texts := a.fields()
	if len(texts) == 0 {
		return ""
	}
	return "{" + strings.Join(texts, " ") + "}"
}

// parseAttr is the inverse of String.
func parseAttr(s string) (a Attr, err error) {
	s = strings.TrimSuffix(strings.TrimPrefix(s, "{"), "}")
	v := reflect.ValueOf(&a).Elem()
	for _, item := range strings.Fields(s) {
		name, text, hasValue := strings.Cut(item, "=")
		f, ok := attrField(v, name)
		if !ok {
			return a, fmt.Errorf("unknown attribute %q", name)
		}
		switch {
		case f.Kind() == reflect.Bool && !hasValue:
			f.SetBool(true)
		case f.Kind() == reflect.Float64:
			x, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return a, fmt.Errorf("attribute %s: %q is not a number", name, text)
			}
			f.SetFloat(x)
		case f.Kind() == reflect.Int || f.Kind() == reflect.Int64:
			x, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return a, fmt.Errorf("attribute %s: %q is not an integer", name, text)
			}
			f.SetInt(x)
		default:
			return a, fmt.Errorf("attribute %q has no value or one too many", item)
		}
	}
	return a, nil
}

func attrField(v reflect.Value, name string) (reflect.Value, bool) {
	for i := range v.NumField() {
		tag, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if tag == name {
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}
