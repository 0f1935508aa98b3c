package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// KernelsName is the file beside the states in which an engine's choice of
// kernels stands: made once, before the first update, and the run's from then on.
const KernelsName = "kernels.json"

// Kernels reads the choice of a run folder, nil when there is none.
func Kernels(dir string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(dir, statesName, KernelsName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// KeepKernels writes the choice: whole or not at all.
func (f *Folder) KeepKernels(text []byte) error {
	if err := writeFile(filepath.Join(f.Dir, statesName, KernelsName), text); err != nil {
		return fmt.Errorf("keep the choice of kernels: %w", err)
	}
	return nil
}

// Saved reports whether the folder has a state, whole or not.
func (f *Folder) Saved() (bool, error) {
	us, err := list(f.Dir)
	return len(us) > 0, err
}
