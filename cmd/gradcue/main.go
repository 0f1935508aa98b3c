package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"golang.org/x/term"

	"github.com/gradcue/gradcue/compiler"
	"github.com/gradcue/gradcue/spec/diag"
)

func main() {
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, "gradcue: working directory:", err)
		os.Exit(codeWorld)
	}
	a := &app{
		stdout: os.Stdout, stderr: os.Stderr, dir: dir, getenv: os.Getenv, now: time.Now,
		outTTY: term.IsTerminal(int(os.Stdout.Fd())), errTTY: term.IsTerminal(int(os.Stderr.Fd())),
	}
	os.Exit(a.main(context.Background(), os.Args[1:]))
}

// Exit codes, see doc.go.
const (
	codeGood        = 0
	codeContent     = 1
	codeWorld       = 2
	codeFailed      = 3
	codeInternal    = 70
	codeStopped     = 75
	codeInterrupted = 130
)

// main runs one command line and returns the exit code.
func (a *app) main(ctx context.Context, args []string) (code int) {
	defer func() {
		if x := recover(); x != nil {
			code = a.internal(x, debug.Stack())
		}
	}()
	root := newRootCmd(a)
	root.SetArgs(args)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	cmd, err := root.ExecuteContextC(ctx)
	return a.finish(cmd.CommandPath(), err)
}

// finish prints what a command returned and chooses the exit code.
func (a *app) finish(command string, err error) int {
	var (
		found    *findings
		stopped  *exit
		internal *compiler.InternalError
	)
	switch {
	case err == nil:
		return codeGood
	case errors.As(err, &internal):
		return a.internal(internal, internal.Stack)
	case errors.As(err, &found):
		for _, d := range found.list {
			if d.Code == "spec.internal" {
				return a.internal(d.Summary, []byte(d.Help))
			}
		}
		if !found.shown {
			a.print(found.list)
		}
		if found.list.HasWorld() {
			return codeWorld
		}
		return codeContent
	case errors.As(err, &stopped):
		if stopped.err != nil {
			fmt.Fprintf(a.stderr, "gradcue: %v\n", stopped.err)
		}
		return stopped.code
	}
	// What is left comes from the parser of the command line.
	fmt.Fprintf(a.stderr, "gradcue: %v\nhelp: %s --help\n", err, command)
	return codeWorld
}

// print writes findings for a reader, with the lines of the user's files.
func (a *app) print(l diag.List) {
	// Nothing can be done about an error of stderr, and there is nowhere to say so.
	_ = diag.Text(a.stderr, l, diag.TextOptions{Color: a.errColor, Source: a.readSource})
	if e, w := l.Count(diag.Error), l.Count(diag.Warning); e+w > 1 {
		fmt.Fprintln(a.stderr, tally(e, w))
	}
}

// tally counts findings in words.
func tally(errs, warnings int) string {
	switch {
	case warnings == 0:
		return plural(errs, "error")
	case errs == 0:
		return plural(warnings, "warning")
	}
	return plural(errs, "error") + ", " + plural(warnings, "warning")
}

// internal says in one line that gradcue has a bug, and writes what a report of
// it needs to a file.
func (a *app) internal(what any, stack []byte) int {
	line := fmt.Sprint(what)
	if i := bytes.IndexByte([]byte(line), '\n'); i >= 0 {
		line = line[:i]
	}
	if len(stack) == 0 {
		stack = debug.Stack()
	}
	where := ""
	if f, err := os.CreateTemp("", "gradcue-crash-*.txt"); err == nil {
		_, werr := fmt.Fprintf(f, "gradcue %s\n%v\n\n%s\n", a.version().Version, what, stack)
		if errors.Join(werr, f.Close()) == nil {
			where = "; the stack is in " + f.Name()
		}
	}
	fmt.Fprintf(a.stderr, "gradcue: internal error: %s%s; please report it\n", line, where)
	return codeInternal
}
