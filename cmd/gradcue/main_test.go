package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	cuecmd "cuelang.org/go/cmd/cue/cmd"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/cuda"
)

// TestMain makes this test binary the commands gradcue and cue of the scripts.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"gradcue": main,
		"cue":     func() { os.Exit(cuecmd.Main()) },
	})
}

// TestScripts runs testdata/script; UPDATE=1 writes what differs into them.
func TestScripts(t *testing.T) {
	testscript.Run(t, scripts("testdata/script", ""))
}

// scripts is a folder of scripts, with what the variable GRADCUE has in them. Their
// condition cuda holds in a binary that was built with -tags cuda.
func scripts(dir, settings string) testscript.Params {
	return testscript.Params{
		Dir:           dir,
		UpdateScripts: os.Getenv("UPDATE") != "",
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("GITHUB_ACTIONS", "")
			e.Setenv("GRADCUE", settings)
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name != "cuda" {
				return false, errors.New("the only condition is cuda")
			}
			return cuda.Built, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":     exits,
			"spoil":     spoil,
			"interrupt": interrupt,
			"replace":   replace,
		},
	}
}

// exits CODE COMMAND… runs a command that ends with an exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	wantCode(ts, ts.Exec(args[1], args[2:]...), args[0])
}

func wantCode(ts *testscript.TestScript, err error, want string) {
	code := 0
	var x *exec.ExitError
	switch {
	case errors.As(err, &x):
		code = x.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(code) != want {
		ts.Fatalf("exit code %d, want %s", code, want)
	}
}

// replace FILE OLD NEW changes the one place in a file where a text stands.
func replace(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replace FILE OLD NEW")
	}
	text := ts.ReadFile(args[0])
	if n := strings.Count(text, args[1]); n != 1 {
		ts.Fatalf("%q stands %d times in %s", args[1], n, args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(text, args[1], args[2], 1)), 0o644))
}

// spoils are changes to a plan that its hashes do not show, as they are made anew.
var spoils = map[string]func(*plan.Plan){
	"offset":  func(p *plan.Plan) { p.Buffers[0].Offset = p.Arenas[0].Bytes },
	"overlap": func(p *plan.Plan) { p.Buffers[1].Offset = p.Buffers[0].Offset },
	"operand": func(p *plan.Plan) { p.Sections[0].Commands[0].Args[0] = len(p.Buffers) },
	"arena":   func(p *plan.Plan) { p.Arenas[0].Bytes = -1 },
}

// spoil KIND IN OUT writes a changed plan with good hashes.
func spoil(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 || spoils[args[0]] == nil {
		ts.Fatalf("usage: spoil offset|overlap|operand|arena IN OUT")
	}
	p, err := plan.Decode([]byte(ts.ReadFile(args[1])))
	ts.Check(err)
	spoils[args[0]](p)
	ts.Check(plan.Seal(p))
	data, err := plan.Encode(p)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), data, 0o644))
}

// interrupt CODE FILE SIGNALS COMMAND… starts a command, waits until a file has
// the record of an update, sends INT and, for two signals, TERM, and wants an
// exit code. What the command wrote is the file output.
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: interrupt CODE FILE SIGNALS COMMAND...")
	}
	path, err := exec.LookPath(args[3])
	ts.Check(err)
	var out bytes.Buffer
	c := exec.Command(path, args[4:]...)
	c.Dir, c.Stdout, c.Stderr = ts.MkAbs("."), &out, &out
	c.Env = append(os.Environ(), "NO_COLOR=1")
	ts.Check(c.Start())
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		// The file is not there before the first record.
		text, _ := os.ReadFile(ts.MkAbs(args[1]))
		if bytes.Contains(text, []byte(`"type":"update"`)) {
			break
		}
		if time.Now().After(deadline) {
			_ = c.Process.Kill() // the test fails anyway
			ts.Fatalf("no update in %s: %s", args[1], out.String())
		}
	}
	ts.Check(c.Process.Signal(os.Interrupt))
	if args[2] == "2" { // at once, within the update; they may come in the other order, which is the same
		ts.Check(c.Process.Signal(syscall.SIGTERM))
	}
	err = c.Wait()
	ts.Check(os.WriteFile(ts.MkAbs("output"), out.Bytes(), 0o644))
	wantCode(ts, err, args[0])
}
