package state

import (
	"errors"
	"os"
	"path/filepath"
)

// writeFile makes a file appear with its whole content or not at all: written
// beside, synced, renamed.
func writeFile(path string, content []byte) error {
	tmp := path + ".tmp"
	if err := create(tmp, func(f *os.File) error {
		_, err := f.Write(content)
		return err
	}); err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// create writes a file and syncs it.
func create(path string, fill func(*os.File) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	err = fill(f)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
