package spec

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/gradcue/gradcue/spec/shape"
)

// structAt returns the Go type of the struct at a path inside an experiment,
// and false where the path leads to no struct. The types are generated from the
// schema, so their fields are the fields that the schema allows.
func structAt(path []string) (reflect.Type, bool) {
	t := reflect.TypeFor[shape.Experiment]()
	for _, name := range path {
		switch t.Kind() {
		case reflect.Struct:
			f, ok := fieldNamed(t, name)
			if !ok {
				return nil, false
			}
			t = f.Type
		case reflect.Slice:
			if _, err := strconv.Atoi(name); err != nil && name != anyField {
				return nil, false
			}
			t = t.Elem()
		default:
			return nil, false
		}
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
	}
	return t, t.Kind() == reflect.Struct
}

func fieldNamed(t reflect.Type, name string) (reflect.StructField, bool) {
	for i := range t.NumField() {
		if jsonName(t.Field(i)) == name {
			return t.Field(i), true
		}
	}
	return reflect.StructField{}, false
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// fieldsAt lists the fields of the struct at a path, in the schema's order.
func fieldsAt(path []string) []string {
	t, ok := structAt(path)
	if !ok {
		return nil
	}
	var out []string
	for i := range t.NumField() {
		out = append(out, jsonName(t.Field(i)))
	}
	return out
}

// unknownFields returns the paths, inside an experiment, of fields that the
// user wrote and the schema does not have. The evaluator finds them too, but
// not in a struct that has another error.
func unknownFields(n *node, path []string) [][]string {
	var out [][]string
	t, isStruct := structAt(path)
	for _, name := range n.names {
		k, here := n.kids[name], append(path[:len(path):len(path)], name)
		if !k.certain || strings.HasPrefix(name, "_") || strings.HasPrefix(name, "#") || name == anyField {
			continue
		}
		if isStruct {
			if _, ok := fieldNamed(t, name); !ok {
				out = append(out, here)
				continue
			}
		}
		out = append(out, unknownFields(k, here)...)
	}
	return out
}
