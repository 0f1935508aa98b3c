package kerneltest

import "sync"

// Pool is a Par that starts n goroutines a call.
type Pool int

// Workers returns the number of goroutines.
func (n Pool) Workers() int { return int(n) }

// For gives each worker one contiguous piece of equal length, whatever the grain: small inputs are split too.
func (n Pool) For(count, _ int, body func(lo, hi, worker int)) {
	var wg sync.WaitGroup
	for w := range int(n) {
		lo, hi := w*count/int(n), (w+1)*count/int(n)
		if lo < hi {
			wg.Go(func() { body(lo, hi, w) })
		}
	}
	wg.Wait()
}

// Uneven is a Par of two workers whose pieces are short, of changing length, and run last piece first.
type Uneven struct{}

// Workers returns 2.
func (Uneven) Workers() int { return 2 }

// For runs the pieces one after another.
func (Uneven) For(count, _ int, body func(lo, hi, worker int)) {
	for hi, n := count, 1; hi > 0; n = n%7 + 1 {
		lo := max(0, hi-n*max(1, count/40))
		body(lo, hi, n%2)
		hi = lo
	}
}
