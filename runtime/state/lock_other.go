//go:build !unix && !windows

package state

import "os"

// lockFile does nothing where the system has no file locks.
func lockFile(*os.File) (held bool, err error) { return false, nil }
