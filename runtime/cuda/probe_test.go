//go:build !cuda

package cuda

import (
	"errors"
	"strings"
	"testing"
)

func TestProbeWithoutCUDA(t *testing.T) {
	info, err := Probe("")
	if !errors.Is(err, ErrNotBuilt) || len(info.Devices) != 0 {
		t.Fatalf("Probe() = %v, %v; want no devices and ErrNotBuilt", info, err)
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("the error has more than one line: %q", err)
	}
}
