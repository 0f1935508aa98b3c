//go:build cuda

package cuda

import (
	"testing"
	"time"
)

// TestMeasure: everything is measured and given back, so that it can be done again.
func TestMeasure(t *testing.T) {
	began := time.Now()
	now := func() int64 { return int64(time.Since(began)) }
	for range 2 {
		r, err := Measure(driver(), "bf16dot", 1<<16, now)
		if err != nil {
			t.Fatal(err)
		}
		if r.Name == "" || r.Multiprocessors < 1 || !(r.Bandwidth > 0 && r.H2D > 0 && r.D2H > 0 && r.Launch > 0) {
			t.Errorf("got %+v", r)
		}
	}
	if _, err := Measure(driver(), "f32", 1<<50, now); err == nil {
		t.Error("a pebibyte was allocated")
	}
}
