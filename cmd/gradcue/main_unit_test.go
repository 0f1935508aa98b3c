package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gradcue/gradcue/compiler"
	"github.com/gradcue/gradcue/spec/diag"
)

// testApp is an app whose crash files go to a folder of the test.
func testApp(t *testing.T) (a *app, out, errs *bytes.Buffer) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	out, errs = &bytes.Buffer{}, &bytes.Buffer{}
	return &app{stdout: out, stderr: errs, dir: t.TempDir(), getenv: func(string) string { return "" }, now: time.Now}, out, errs
}

func TestExitCodes(t *testing.T) {
	one := func(d diag.Diagnostic) error { return &findings{list: diag.List{d}} }
	tests := []struct {
		name string
		err  error
		want int
		says string
	}{
		{"nothing", nil, codeGood, ""},
		{"content", one(diag.Diagnostic{Code: "a.b", Summary: "wrong"}), codeContent, "wrong [a.b]"},
		{"world", one(diag.Diagnostic{Code: "a.b", Summary: "absent", World: true}), codeWorld, "absent"},
		{"both", &findings{list: diag.List{{Summary: "wrong"}, {Summary: "absent", World: true}}}, codeWorld, "2 errors"},
		{"shown", &findings{list: diag.List{{Summary: "wrong"}}, shown: true}, codeContent, ""},
		{"usage", usage("no %s", "flag"), codeWorld, "gradcue: no flag\n"},
		{"parser", errors.New("unknown flag"), codeWorld, "help: gradcue run --help"},
		{"failed", &exit{codeFailed, errors.New("disk full")}, codeFailed, "disk full"},
		{"stopped", &exit{codeStopped, nil}, codeStopped, ""},
		{"compiler", &compiler.InternalError{Pass: "place", Cause: "index 3"}, codeInternal, "internal error in pass place: index 3; the stack is in "},
		{"loader", one(diag.Diagnostic{Code: "spec.internal", Summary: "lost", Help: "stack"}), codeInternal, "please report it"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, out, errs := testApp(t)
			if got := a.finish("gradcue run", tt.err); got != tt.want {
				t.Errorf("code %d, want %d", got, tt.want)
			}
			if !strings.Contains(errs.String(), tt.says) || tt.says == "" && errs.Len() > 0 {
				t.Errorf("says %q, want %q", errs, tt.says)
			}
			if out.Len() > 0 {
				t.Errorf("stdout has %q", out)
			}
		})
	}
}

// TestPanic wants one line on the screen and the stack in a file.
func TestPanic(t *testing.T) {
	a, _, errs := testApp(t)
	a.getenv = func(string) string { panic("lost\nthe rest") }
	if got := a.main(context.Background(), []string{"version"}); got != codeInternal {
		t.Fatalf("code %d, want %d", got, codeInternal)
	}
	line := errs.String()
	if strings.Count(line, "\n") != 1 || !strings.HasPrefix(line, "gradcue: internal error: lost; the stack is in ") {
		t.Fatalf("says %q", line)
	}
	_, file, _ := strings.Cut(line, "the stack is in ")
	file, _, _ = strings.Cut(file, "; please")
	text, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(text, []byte("main_unit_test.go")) || !bytes.Contains(text, []byte("the rest")) {
		t.Errorf("file %s: %v, %s", file, err, text)
	}
}

func TestColor(t *testing.T) {
	tests := []struct {
		flag     string
		env      map[string]string
		tty      bool
		out, bad bool
	}{
		{flag: "auto", tty: true, out: true},
		{flag: "auto", tty: false, out: false},
		{flag: "auto", tty: true, env: map[string]string{"NO_COLOR": "1"}},
		{flag: "auto", tty: true, env: map[string]string{"TERM": "dumb"}},
		{flag: "always", env: map[string]string{"NO_COLOR": "1"}, out: true},
		{flag: "never", tty: true},
		{flag: "blue", bad: true},
	}
	for _, tt := range tests {
		a := &app{getenv: func(k string) string { return tt.env[k] }, outTTY: tt.tty, errTTY: tt.tty}
		err := a.chooseColor(tt.flag)
		if (err != nil) != tt.bad || a.outColor != tt.out || a.errColor != tt.out {
			t.Errorf("%+v: colours %v %v, %v", tt, a.outColor, a.errColor, err)
		}
	}
}

func TestCommandsHaveExamples(t *testing.T) {
	a, _, _ := testApp(t)
	root := newRootCmd(a)
	if root.Example == "" {
		t.Error("no examples")
	}
	for _, c := range root.Commands() {
		if c.Hidden || c.HasSubCommands() {
			continue
		}
		if c.Short == "" || c.Example == "" || strings.Contains(c.Example, "\t") {
			t.Errorf("%s: wants a short text and examples set with spaces", c.Name())
		}
	}
}
