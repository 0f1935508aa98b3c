package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gradcue/gradcue/spec/diag"
)

// app is the surroundings of one command line.
type app struct {
	stdout, stderr io.Writer
	dir            string // working directory, absolute
	getenv         func(string) string
	now            func() time.Time
	outTTY, errTTY bool

	// Set from the command line before a command runs.
	outColor, errColor bool
	settings           settings
}

// abs is a path of the command line as an absolute one.
func (a *app) abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(a.dir, path)
}

// rel is a path as the user would write it: relative to the working directory
// where that is shorter.
func (a *app) rel(path string) string {
	r, err := filepath.Rel(a.dir, path)
	if err != nil || len(r) > len(path) {
		return path
	}
	return r
}

func (a *app) readSource(file string) ([]byte, error) { return os.ReadFile(a.abs(file)) }

// findings is the error of a command that found something wrong in what it read.
type findings struct {
	list  diag.List
	shown bool // the command has printed them in another format
}

// Error is for the log of a test; the list is what a user sees.
func (f *findings) Error() string {
	return tally(f.list.Count(diag.Error), f.list.Count(diag.Warning))
}

// asError is the findings as an error when one of them is one, else it prints
// the warnings and returns nil.
func (a *app) asError(l diag.List) error {
	if l.HasErrors() {
		return &findings{list: l}
	}
	a.print(l)
	return nil
}

// content is one finding about content, as an error.
func content(code, file, summary, help string) error {
	return &findings{list: diag.List{{Code: code, Pos: diag.Position{File: filepath.ToSlash(file)}, Summary: summary, Help: help}}}
}

// world is one finding about the surroundings, as an error.
func world(file, summary, help string) error {
	return &findings{list: diag.List{{Code: "cli.file", Pos: diag.Position{File: filepath.ToSlash(file)}, Summary: summary, Help: help, World: true}}}
}

// fileError is what the system says of a file, without the operation and the
// path around it.
func fileError(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return err.Error()
}

// exit is the error of a command that ends with a code of its own.
type exit struct {
	code int
	err  error // printed when not nil
}

func (e *exit) Error() string { return fmt.Sprintf("exit code %d: %v", e.code, e.err) }
func (e *exit) Unwrap() error { return e.err }

// usage is an error of the command line.
func usage(format string, args ...any) error {
	return &exit{codeWorld, fmt.Errorf(format, args...)}
}

// content1 is one finding as an error.
func content1(d diag.Diagnostic) error { return &findings{list: diag.List{d}} }
