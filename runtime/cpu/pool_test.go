package cpu

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	kernel "github.com/gradcue/gradcue/kernels/cpu"
)

func startPool(t testing.TB, workers int) *pool {
	t.Helper()
	p, err := newPool(workers, kernel.Detect())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// TestForCoversTheRangeOnce for sizes around the number of workers and pieces.
func TestForCoversTheRangeOnce(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 7} {
		p := startPool(t, workers)
		for _, n := range []int{-1, 0, 1, 2, 3, 6, 7, 8, 15, 16, 17, 100, 1001} {
			for _, grain := range []int{0, 1, 3, 200} {
				check(t, p, n, grain)
			}
		}
	}
}

func check(t *testing.T, p *pool, n, grain int) {
	t.Helper()
	times, busy := make([]atomic.Int32, max(n, 0)), make([]atomic.Bool, p.Workers())
	p.For(n, grain, func(lo, hi, worker int) {
		if worker < 0 || worker >= p.Workers() || lo >= hi {
			t.Errorf("n %d, grain %d: worker %d of %d gets [%d,%d)", n, grain, worker, p.Workers(), lo, hi)
			return
		}
		if busy[worker].Swap(true) {
			t.Errorf("n %d, grain %d: two pieces run as worker %d at one time", n, grain, worker)
		}
		if hi-lo < grain && n >= grain {
			t.Errorf("n %d: piece [%d,%d) is below the grain %d", n, lo, hi, grain)
		}
		for i := lo; i < hi; i++ {
			times[i].Add(1)
		}
		busy[worker].Store(false)
	})
	for i := range times {
		if k := times[i].Load(); k != 1 {
			t.Fatalf("n %d, grain %d, %d workers: index %d was done %d times", n, grain, p.Workers(), i, k)
		}
	}
}

// TestPieces: a large range is cut finely, a small one into one piece a worker,
// and tasks are not put together while there are few.
func TestPieces(t *testing.T) {
	for _, c := range []struct{ n, grain, workers, want int }{
		{0, 1, 2, 0}, {-3, 4, 2, 0}, {3, 1, 2, 3}, {8, 1, 2, 8}, {1000, 1, 2, 16},
		{100, 200, 4, 0}, {768, 16, 2, 2}, {3072, 16, 2, 6}, {40, 16, 4, 2}, {1 << 20, 4096, 2, 8}, {1 << 30, 4096, 2, 16}, {1 << 30, 4096, 64, 512},
	} {
		if got := pieces(c.n, c.grain, c.workers); got != c.want {
			t.Errorf("pieces(%d, %d, %d) = %d, want %d", c.n, c.grain, c.workers, got, c.want)
		}
	}
}

// TestForRunsBeside: pieces of two workers run at one time, since each waits
// for the other to have begun.
func TestForRunsBeside(t *testing.T) {
	p := startPool(t, 2)
	var both sync.WaitGroup
	both.Add(2)
	p.For(2, 1, func(_, _, _ int) {
		both.Done()
		both.Wait()
	})
}

// TestManyJobs: jobs of all lengths, one after the other, with waits of all
// lengths between them, so that workers are met polling, asleep and between the
// two. Each job reads what the one before has written.
func TestManyJobs(t *testing.T) {
	p := startPool(t, 4)
	x := make([]int, 64)
	for job := range 5000 {
		n := 1 + job%len(x)
		p.For(n, 1, func(lo, hi, _ int) {
			for i := lo; i < hi; i++ {
				if x[i] < 0 {
					t.Errorf("job %d: x[%d] is %d", job, i, x[i])
				}
				x[i]++
			}
		})
		if job%997 == 0 {
			time.Sleep(2 * time.Millisecond)
		}
	}
	for i, v := range x {
		want := 0
		for job := range 5000 {
			if i <= job%len(x) {
				want++
			}
		}
		if v != want {
			t.Errorf("index %d was done %d times, want %d", i, v, want)
		}
	}
}

// TestOneWorkerHelpsTheOther: a worker that is busy with its first piece does
// not hold up the rest of its share.
func TestOneWorkerHelpsTheOther(t *testing.T) {
	p := startPool(t, 2)
	var others atomic.Int32
	p.For(2*piecesPerWorker, 1, func(lo, _, _ int) {
		if lo > 0 {
			others.Add(1)
			return
		}
		for others.Load() < 2*piecesPerWorker-1 {
			runtime.Gosched()
		}
	})
}

// TestPanicInABody reaches the caller from any piece, after all pieces that had
// begun have ended, and leaves the pool usable.
func TestPanicInABody(t *testing.T) {
	p := startPool(t, 3)
	for bad := range 3 * piecesPerWorker {
		var running atomic.Int32
		func() {
			defer func() {
				if v := recover(); !strings.Contains(fmt.Sprint(v), "index out of range") {
					t.Errorf("piece %d: recovered %v", bad, v)
				}
				if n := running.Load(); n != 0 {
					t.Errorf("piece %d: %d pieces still run", bad, n)
				}
			}()
			p.For(3*piecesPerWorker, 1, func(lo, _, _ int) {
				running.Add(1)
				defer running.Add(-1)
				if lo == bad {
					var none []int
					none[lo]++
				}
			})
			t.Errorf("piece %d: no panic", bad)
		}()
		check(t, p, 100, 1)
	}
}

// TestWorkersFlushDenormals: bodies compute in one mode on every worker.
func TestWorkersFlushDenormals(t *testing.T) {
	if kernel.Detect() == kernel.Go {
		t.Log("this architecture has no such mode")
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	restore := kernel.FlushDenormals()
	p := startPool(t, 2)
	var both sync.WaitGroup
	both.Add(2)
	got := make([]float32, 2)
	small := float32(1e-39)
	p.For(2, 1, func(lo, hi, worker int) {
		both.Done()
		both.Wait() // one piece on each worker
		got[worker] = small * float32(hi-lo)
	})
	restore()
	if got[0] != 0 || got[1] != 0 {
		t.Errorf("1e-39 is kept: %v", got)
	}
	if x := small * float32(len(got)-1); x == 0 {
		t.Error("the caller's thread still flushes after restore")
	}
}

// TestCloseEndsWorkers: no goroutine is left, asleep or polling.
func TestCloseEndsWorkers(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, sleep := range []time.Duration{0, 5 * time.Millisecond} {
		p, err := newPool(5, kernel.Detect())
		if err != nil {
			t.Fatal(err)
		}
		p.For(100, 1, func(_, _, _ int) {})
		time.Sleep(sleep)
		if err := p.close(); err != nil {
			t.Error(err)
		}
		for range 1000 { // close waits for their work, the runtime takes a moment more
			if runtime.NumGoroutine() <= before {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if n := runtime.NumGoroutine(); n > before {
			t.Errorf("%d goroutines, %d before", n, before)
		}
	}
}

// TestForDoesNotAllocate with a body that is there already.
func TestForDoesNotAllocate(t *testing.T) {
	p := startPool(t, 3)
	body := func(_, _, _ int) {}
	if n := testing.AllocsPerRun(100, func() { p.For(100, 1, body) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkMeet is the time of a job whose two pieces wait for each other to
// have begun: from workers that poll, and from one that sleeps.
func BenchmarkMeet(b *testing.B) {
	for _, sleep := range []time.Duration{0, time.Millisecond} {
		b.Run(fmt.Sprintf("after=%v", sleep), func(b *testing.B) {
			p := startPool(b, 2)
			var here atomic.Int64
			body := func(_, _, _ int) {
				for here.Add(1); here.Load() < 2; {
					pause()
				}
			}
			busy := time.Duration(0)
			for b.Loop() {
				time.Sleep(sleep)
				here.Store(0)
				began := time.Now()
				p.For(2, 1, body)
				busy += time.Since(began)
			}
			b.ReportMetric(float64(busy.Nanoseconds())/float64(b.N), "ns/job")
		})
	}
}
