package cpu

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// TestForCoversTheRangeOnce for sizes around the number of workers.
func TestForCoversTheRangeOnce(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 7} {
		p := newPool(workers)
		for _, n := range []int{0, 1, 2, 3, 6, 7, 8, 100} {
			for _, grain := range []int{0, 1, 3, 200} {
				check(t, p, n, grain)
			}
		}
		p.close()
	}
}

func check(t *testing.T, p *pool, n, grain int) {
	t.Helper()
	var mu sync.Mutex
	times, workers := make([]int, n), map[int]bool{}
	p.For(n, grain, func(lo, hi, worker int) {
		mu.Lock()
		defer mu.Unlock()
		if worker < 0 || worker >= p.Workers() || workers[worker] || lo >= hi {
			t.Errorf("n %d, grain %d: worker %d of %d gets [%d,%d), used %v", n, grain, worker, p.Workers(), lo, hi, workers)
		}
		if hi-lo < grain && n >= grain {
			t.Errorf("n %d: piece [%d,%d) is below the grain %d", n, lo, hi, grain)
		}
		workers[worker] = true
		for i := lo; i < hi; i++ {
			times[i]++
		}
	})
	for i, k := range times {
		if k != 1 {
			t.Fatalf("n %d, grain %d, %d workers: index %d was done %d times", n, grain, p.Workers(), i, k)
		}
	}
}

// TestForRunsBeside: pieces of two workers run at one time, since each waits
// for the other to have begun.
func TestForRunsBeside(t *testing.T) {
	p := newPool(2)
	defer p.close()
	var both sync.WaitGroup
	both.Add(2)
	p.For(2, 1, func(_, _, _ int) {
		both.Done()
		both.Wait()
	})
}

// TestPanicInABody reaches the caller from any worker, after all pieces have
// ended, and leaves the pool usable.
func TestPanicInABody(t *testing.T) {
	p := newPool(3)
	defer p.close()
	for bad := range 3 {
		func() {
			defer func() {
				if v := recover(); !strings.Contains(fmt.Sprint(v), "index out of range") {
					t.Errorf("worker %d: recovered %v", bad, v)
				}
			}()
			p.For(3, 1, func(lo, _, worker int) {
				if worker == bad {
					var none []int
					none[lo]++
				}
			})
			t.Errorf("worker %d: no panic", bad)
		}()
		check(t, p, 100, 1)
	}
}
