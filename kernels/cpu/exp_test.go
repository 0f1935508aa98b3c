package cpu

import (
	"math"
	"testing"
)

// ulps is the distance of got from want in units of the last place of want.
func ulps(got float32, want float64) float64 {
	w := float32(want)
	unit := float64(math.Nextafter32(w, float32(math.Inf(1)))) - float64(w)
	return math.Abs(float64(got)-want) / unit
}

func TestExpError(t *testing.T) {
	worst, at := 0.0, float32(0)
	for x := float32(expLow); x <= 88.37; x += 0.00037 {
		if e := ulps(exp(x), math.Exp(float64(x))); e > worst {
			worst, at = e, x
		}
	}
	if worst >= 2 {
		t.Errorf("exp(%g) is %.2f units in the last place off, want less than 2", at, worst)
	}
}

func TestExpEnds(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct{ x, want float32 }{
		{0, 1}, {-0.0, 1}, {-87.3366, 0}, {-88, 0}, {-1e30, 0}, {-inf, 0}, {88.4, inf}, {1e30, inf}, {inf, inf},
	} {
		if got := exp(c.x); got != c.want || math.Signbit(float64(got)) {
			t.Errorf("exp(%g) = %g, want %g", c.x, got, c.want)
		}
	}
	if got := exp(-87.336); got < 1.17549435e-38 {
		t.Errorf("exp(-87.336) = %g, want a normal number", got)
	}
	if got := exp(float32(math.NaN())); got == got {
		t.Errorf("exp(NaN) = %g, want NaN", got)
	}
}

func TestNormalCDF(t *testing.T) {
	var x, e, phi [1]float32
	for v := float32(-12); v <= 12; v += 0.00171 {
		x[0] = v
		gaussian(e[:], x[:])
		normalCDF(phi[:], x[:], e[:])
		want := 0.5 * math.Erfc(-float64(v)/math.Sqrt2)
		// The relative error of e^(-x²/2) grows with the rounding of its argument.
		if d := math.Abs(float64(phi[0]) - want); d > want*(4e-7+6e-8*float64(v*v)) {
			t.Fatalf("Φ(%g) = %g, want %g", v, phi[0], want)
		}
	}
}
