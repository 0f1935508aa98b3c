//go:build !amd64

package cpu

// pause takes some tens of nanoseconds.
func pause() {
	for range 40 {
	}
}
