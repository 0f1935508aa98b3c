package kerneltest

import (
	"math"
	"math/rand/v2"
)

// random returns n normal numbers times scale; equal arguments give equal numbers.
func random(n int, seed uint64, scale float64) f32 {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	x := make(f32, n)
	for i := range x {
		x[i] = float32(scale * r.NormFloat64())
	}
	return x
}

// randomIDs returns n ids in [0,limit).
func randomIDs(n, limit int, seed uint64) ids {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	x := make(ids, n)
	for i := range x {
		x[i] = r.Int32N(int32(limit))
	}
	return x
}

// unwritten returns n NaNs.
func unwritten(n int) f32 {
	x := make(f32, n)
	for i := range x {
		x[i] = float32(math.NaN())
	}
	return x
}

// wide converts to float64; nil stays nil.
func wide(x f32) f64 {
	if x == nil {
		return nil
	}
	y := make(f64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// clone copies x, so that a kernel may write it.
func clone(x f32) f32 { return append(f32(nil), x...) }

// target is the output of a kernel that accumulates: what was there before with acc, else unwritten.
func target(before f32, acc bool) f32 {
	if acc {
		return clone(before)
	}
	return unwritten(len(before))
}

// start is the same for the reference.
func start(before f32, acc bool) f64 {
	if acc {
		return wide(before)
	}
	return make(f64, len(before))
}

// workspace returns n unwritten floats.
func workspace(n int64) f32 { return unwritten(int(n)) }
