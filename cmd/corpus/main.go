package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// config is the command line.
type config struct {
	seed, evalSeed   uint64
	bytes, evalBytes int // upper bounds; files end with a whole story
	dir              string
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main without the process: it returns 0, 2 for a wrong command line or folder, and prints one line per file.
func run(args []string, stdout, stderr io.Writer) int {
	c, err := parse(args, stderr)
	if err != nil {
		return 2
	}
	files := []struct {
		name string
		text []byte
	}{
		{"train.txt", text(c.seed, c.bytes)},
		{"eval.txt", text(c.evalSeed, c.evalBytes)},
	}
	for _, f := range files {
		path := filepath.Join(c.dir, f.name)
		if err := os.WriteFile(path, f.text, 0o644); err != nil {
			fmt.Fprintf(stderr, "corpus: write %s: %v\n", f.name, err)
			return 2
		}
		fmt.Fprintf(stdout, "%s %d bytes\n", filepath.ToSlash(path), len(f.text))
	}
	return 0
}

// parse reads the flags; what is wrong has been printed to stderr when it returns an error.
func parse(args []string, stderr io.Writer) (config, error) {
	var c config
	fs := flag.NewFlagSet("corpus", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Uint64Var(&c.seed, "seed", 1, "seed of train.txt")
	fs.IntVar(&c.bytes, "bytes", 300000, "largest size of train.txt in bytes")
	fs.Uint64Var(&c.evalSeed, "evalseed", 1000001, "seed of eval.txt, different from -seed")
	fs.IntVar(&c.evalBytes, "evalbytes", 20000, "largest size of eval.txt in bytes")
	fs.StringVar(&c.dir, "o", ".", "folder to write to; it must exist")
	if err := fs.Parse(args); err != nil {
		return c, err
	}
	var err error
	switch {
	case fs.NArg() > 0:
		err = fmt.Errorf("found argument %q, expected flags only; remove it", fs.Arg(0))
	case c.seed == c.evalSeed:
		err = fmt.Errorf("found -seed and -evalseed both %d, expected two seeds; change one, or eval.txt is a part of train.txt", c.seed)
	case c.bytes < 0 || c.evalBytes < 0:
		err = fmt.Errorf("found a negative size, expected bytes >= 0; give -bytes and -evalbytes a size")
	}
	if err != nil {
		fmt.Fprintln(stderr, "corpus:", err)
	}
	return c, err
}
