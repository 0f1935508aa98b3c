//go:build !cuda

package cuda

// Measure answers ErrNotBuilt.
func Measure(library, products string, bytes int64, now func() int64) (Rates, error) {
	return Rates{}, ErrNotBuilt
}
