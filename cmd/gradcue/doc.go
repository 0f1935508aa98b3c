// Command gradcue is the command line of gradcue: it checks, plans and runs
// training experiments that are written in CUE.
//
//	SPEC ─ spec.Load ─ compiler.Compile ─ plan ─ run, show, sample, gradcheck
//
// One file is one command, each made by a constructor that root.go lists. Data
// goes to stdout and talk to stderr; nothing but this package reads the
// environment, the clock or the working directory, and they are read once, in
// main.go. That is also the only place that prints findings and chooses the
// exit code:
//
//	0    good; warnings never change it
//	1    the content of a spec, plan, data file or run folder is wrong
//	2    the command line or the surroundings are wrong (no such file, locked, no driver)
//	3    failed while running; what was reached is saved
//	70   internal error: a bug of gradcue
//	75   stopped on request after saving; the same command goes on
//	130  interrupted before anything was saved
//
// An argument SPEC is a .cue file, a folder or a pattern such as ./..., with
// #NAME behind it to choose one experiment of several. PLAN is a file written by
// gradcue plan -o, RUN a folder written by gradcue run.
//
// What it is not: no command knows a formula. Numbers come from packages
// compiler and runtime, and are only laid out here.
package main
