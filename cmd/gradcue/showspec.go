package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/gradcue/gradcue/spec"
)

// settingRows flattens a resolved spec into rows of path, value and where the
// value was written, in the order of the schema. Lists of plain values stay in
// one row.
func settingRows(resolved []byte, where func(path string) string) ([][]string, error) {
	d := json.NewDecoder(bytes.NewReader(resolved))
	d.UseNumber()
	f := flattener{d: d, where: where}
	if err := f.value(""); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("data follows the spec")
	}
	return f.rows, nil
}

type flattener struct {
	d     *json.Decoder
	where func(path string) string
	rows  [][]string
}

func (f *flattener) value(path string) error {
	t, err := f.d.Token()
	if err != nil {
		return err
	}
	switch t {
	case json.Delim('{'):
		return f.object(path)
	case json.Delim('['):
		return f.list(path)
	}
	f.row(path, scalar(t))
	return nil
}

func (f *flattener) object(path string) error {
	for f.d.More() {
		key, err := f.d.Token()
		if err != nil {
			return err
		}
		name, _ := key.(string)
		if err := f.value(strings.TrimPrefix(path+"."+name, ".")); err != nil {
			return err
		}
	}
	_, err := f.d.Token()
	return err
}

func (f *flattener) list(path string) error {
	first := len(f.rows)
	for i := 0; f.d.More(); i++ {
		if err := f.value(path + "." + strconv.Itoa(i)); err != nil {
			return err
		}
	}
	if _, err := f.d.Token(); err != nil {
		return err
	}
	var items []string
	for _, r := range f.rows[first:] {
		if strings.Contains(r[0][len(path)+1:], ".") {
			return nil
		}
		items = append(items, r[1])
	}
	f.rows = f.rows[:first]
	f.row(path, "["+strings.Join(items, ", ")+"]")
	return nil
}

func (f *flattener) row(path, value string) {
	f.rows = append(f.rows, []string{path, value, f.where(path)})
}

func scalar(t json.Token) string {
	switch v := t.(type) {
	case string:
		return strconv.Quote(v)
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	return "null"
}

// written says where a field of an experiment was written, or that it is a
// default: the position of a field that nobody wrote is that of the nearest one
// around it.
func written(l *spec.Loaded) func(path string) string {
	return func(path string) string {
		at := l.Where(path)
		outer := ""
		if i := strings.LastIndexByte(path, '.'); i >= 0 {
			outer = path[:i]
		}
		if at.IsZero() || at == l.Where(outer) {
			return "default"
		}
		return at.String()
	}
}
