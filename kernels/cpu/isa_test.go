package cpu

import (
	"math"
	"runtime"
	"testing"
)

func TestISANames(t *testing.T) {
	for u := Go; u <= AVX512BF16; u++ {
		if got, err := ParseISA(u.String()); got != u || err != nil {
			t.Errorf("ParseISA(%q) = %v, %v", u.String(), got, err)
		}
	}
	if _, err := ParseISA("sse"); err == nil {
		t.Error("ParseISA accepts sse")
	}
	if got := ISA(9).String(); got != "ISA(9)" {
		t.Errorf("String = %q", got)
	}
}

func TestISAOfPar(t *testing.T) {
	if got := isa(Serial{}); got != Go {
		t.Errorf("a Par without a choice runs on %s", got)
	}
	if got := isa(SerialISA(250)); got != Detect() {
		t.Errorf("a Par that asks for too much runs on %s, want %s", got, Detect())
	}
}

func TestPeak(t *testing.T) {
	for _, u := range append(tiers(), Go) {
		lanes := map[ISA]int64{Go: 1, AVX2: 8, AVX512: 16, AVX512BF16: 16}[u]
		if got, want := Peak(SerialISA(u), 10), 240*lanes; got != want {
			t.Errorf("%s: Peak did %d operations, want %d", u, got, want)
		}
		pairs := map[ISA]int64{AVX512BF16: 240 * 32}[u]
		if got := PeakPairs(SerialISA(u), 10); got != pairs {
			t.Errorf("%s: PeakPairs did %d operations, want %d", u, got, pairs)
		}
	}
}

func TestFlushDenormals(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	x := []float32{math.SmallestNonzeroFloat32, 1e-39}
	half := func() float32 {
		y := append([]float32(nil), x...)
		Detect().scaleRow(y, 0.5)
		return y[1]
	}
	if half() == 0 {
		t.Fatal("subnormal numbers are flushed before FlushDenormals")
	}
	restore := FlushDenormals()
	flushed := half()
	restore()
	if flushed != 0 && Detect() != Go {
		t.Errorf("0.5 * 1e-39 = %g with FlushDenormals, want 0", flushed)
	}
	if half() == 0 {
		t.Error("restore does not restore")
	}
}
