package state

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gradcue/gradcue/runtime/weights"
	"github.com/gradcue/gradcue/spec/diag"
)

// Saved is a state on disk whose hashes were checked.
type Saved struct {
	State
	Dir  string
	File *weights.File
	f    *os.File
}

// Close closes the file of tensors.
func (s *Saved) Close() error { return s.f.Close() }

func stateDir(u int) string { return fmt.Sprintf("u%08d", u) }

// list is the updates that a run folder has states of, newest first.
func list(dir string) ([]int, error) {
	names, err := os.ReadDir(filepath.Join(dir, statesName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var us []int
	for _, n := range names {
		digits, ok := strings.CutPrefix(n.Name(), "u")
		if u, err := strconv.Atoi(digits); ok && err == nil && u >= 0 && n.Name() == stateDir(u) {
			us = append(us, u)
		}
	}
	slices.Sort(us)
	slices.Reverse(us)
	return us, nil
}

// Load opens the newest state of a run folder that is whole, nil when the
// folder has none at all. Each damaged one is a finding state.damaged: a warning
// while an older one is left, an error when none is; their updates come back as
// damaged. An identity other than "" must be the state's.
func Load(dir, identity string) (s *Saved, damaged []int, l diag.List) {
	us, err := list(dir)
	if err != nil {
		return nil, nil, diag.List{world(dir, err)}
	}
	for _, u := range us {
		path := filepath.Join(dir, statesName, stateDir(u))
		s, err := load(path, u, identity)
		if err == nil {
			return s, damaged, l
		}
		damaged = append(damaged, u)
		l = append(l, diag.Diagnostic{Code: "state.damaged", Severity: diag.Warning, Pos: diag.Position{File: path},
			Summary: fmt.Sprintf("the state of update %d is damaged: %v", u, err), Help: "nothing to do: an older state is used"})
	}
	if len(l) > 0 {
		last := &l[len(l)-1]
		last.Severity, last.Help = diag.Error, "restore the folder from a copy, or start again with -o DIR"
	}
	return nil, damaged, l
}

func load(path string, u int, identity string) (*Saved, error) {
	j, err := os.Open(filepath.Join(path, stateName))
	if err != nil {
		return nil, err
	}
	defer j.Close()
	st, err := decode(j)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", stateName, err)
	case st.U != u:
		return nil, fmt.Errorf("%s: it is of update %d", stateName, st.U)
	case identity != "" && st.Identity != identity:
		return nil, fmt.Errorf("%s: it is of another experiment", stateName)
	}
	f, err := os.Open(filepath.Join(path, tensorsName))
	if err != nil {
		return nil, err
	}
	w, err := checkTensors(f, st.Tensors)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", tensorsName, err)
	}
	return &Saved{State: st, Dir: path, File: w, f: f}, nil
}

// checkTensors compares a file with what the state says of it, then reads its header.
func checkTensors(f *os.File, want Tensors) (*weights.File, error) {
	sum := sha256.New()
	n, err := io.Copy(sum, f)
	if err != nil {
		return nil, err
	}
	if n != want.Bytes {
		return nil, fmt.Errorf("%d bytes, want %d", n, want.Bytes)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != want.SHA256 {
		return nil, errors.New("the content does not match its hash")
	}
	return weights.Open(f, n)
}
