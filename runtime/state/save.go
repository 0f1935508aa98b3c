package state

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/gradcue/gradcue/runtime/weights"
)

// Names in a state.
const (
	tensorsName = "tensors.safetensors"
	stateName   = "state.json"
	tmpPrefix   = "tmp-" // being written
	oldPrefix   = "old-" // replaced by another of the same update
	badPrefix   = "bad-" // damaged
)

// Save writes a state with its tensors, whose data fill writes in order, and
// removes all but the keep newest. It returns the state's folder.
func (f *Folder) Save(s State, tensors []weights.Tensor, fill func(*weights.Writer) error, keep int) (string, error) {
	root := filepath.Join(f.Dir, statesName)
	name := stateDir(s.U)
	tmp, path := filepath.Join(root, tmpPrefix+name), filepath.Join(root, name)
	if err := errors.Join(os.RemoveAll(tmp), os.Mkdir(tmp, 0o755)); err != nil {
		return "", fmt.Errorf("save update %d: %w", s.U, err)
	}
	if err := writeState(tmp, s, tensors, fill); err != nil {
		return "", fmt.Errorf("save update %d: %w", s.U, errors.Join(err, os.RemoveAll(tmp)))
	}
	if err := replace(tmp, path, filepath.Join(root, oldPrefix+name)); err != nil {
		return "", fmt.Errorf("save update %d: %w", s.U, err)
	}
	return path, f.prune(keep)
}

// replace moves tmp to path; what was there goes first to old and then away.
func replace(tmp, path, old string) error {
	if err := os.RemoveAll(old); err != nil {
		return err
	}
	if err := os.Rename(path, old); err != nil && !os.IsNotExist(err) {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		return err
	}
	return errors.Join(syncDir(filepath.Dir(path)), os.RemoveAll(old))
}

func writeState(dir string, s State, tensors []weights.Tensor, fill func(*weights.Writer) error) error {
	sum, size := sha256.New(), int64(0)
	err := create(filepath.Join(dir, tensorsName), func(out *os.File) error {
		w, err := weights.NewWriter(io.MultiWriter(out, sum), tensors, nil)
		if err != nil {
			return err
		}
		if err := fill(w); err != nil {
			return err
		}
		if size, err = out.Seek(0, io.SeekCurrent); err != nil {
			return err
		}
		return w.Close()
	})
	if err != nil {
		return err
	}
	s.Version = Version
	s.Tensors = Tensors{Bytes: size, SHA256: hex.EncodeToString(sum.Sum(nil))}
	b, err := encode(s)
	if err != nil {
		return err
	}
	if err := writeFile(filepath.Join(dir, stateName), b); err != nil {
		return err
	}
	return syncDir(dir)
}

// prune removes all but the newest states and whatever a killed process left.
func (f *Folder) prune(keep int) error {
	root := filepath.Join(f.Dir, statesName)
	all, err := list(f.Dir)
	if err != nil {
		return err
	}
	for i, u := range all {
		if i >= max(keep, 1) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(root, stateDir(u))))
		}
	}
	return err
}

// recover clears up after a process that was killed while it saved: a state
// that was about to be replaced comes back, anything half done goes.
func (f *Folder) recover() error {
	root := filepath.Join(f.Dir, statesName)
	names, err := os.ReadDir(root)
	if err != nil {
		return err
	}
	for _, n := range names {
		if name, ok := strings.CutPrefix(n.Name(), oldPrefix); ok {
			if _, gone := os.Lstat(filepath.Join(root, name)); os.IsNotExist(gone) {
				err = errors.Join(err, os.Rename(filepath.Join(root, n.Name()), filepath.Join(root, name)))
			}
		}
		if strings.HasPrefix(n.Name(), oldPrefix) || strings.HasPrefix(n.Name(), tmpPrefix) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(root, n.Name())))
		}
	}
	return err
}

// SetAside renames the states that Load found damaged, so that they neither
// count among the newest nor are lost to somebody who wants to look at them.
func (f *Folder) SetAside(damaged []int) error {
	root := filepath.Join(f.Dir, statesName)
	var err error
	for _, u := range damaged {
		aside := filepath.Join(root, badPrefix+stateDir(u))
		err = errors.Join(err, os.RemoveAll(aside), os.Rename(filepath.Join(root, stateDir(u)), aside))
	}
	return err
}
