package cpu

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	kernel "github.com/gradcue/gradcue/kernels/cpu"
)

// piecesPerWorker bounds how finely a range is cut. Where pieces end changes no
// bit, so whoever is free takes the next one: more pieces balance better. But
// kernels that own columns lose to narrow ones, up to half of their speed, so a
// share is cut only into pieces of many grains; with a grain of 1 every index
// is a task of its own.
const (
	piecesPerWorker = 8
	grainsPerPiece  = 32
)

// pieces is into how many pieces the range [0,n) is cut.
func pieces(n, grain, workers int) int {
	if grain <= 1 {
		return min(n, workers*piecesPerWorker)
	}
	grains := n / grain
	return min(grains, workers*max(1, min(piecesPerWorker, grains/(workers*grainsPerPiece))))
}

// pool is the Par of the kernels: a fixed number of workers, of which the caller
// is number 0 and each other is a goroutine on an operating-system thread of its
// own. For is called by one goroutine at a time and not from inside a body.
//
// A job is a range cut into pieces, each worker's share in a queue of its own.
// Opening the queues starts the job, and left counts its pieces down. A worker
// takes from its own queue first, so that it meets again what is in its cache,
// and then from the others'; the caller never waits for one that has not begun.
// A piece is claimed before the job is looked at, and the job stays until its
// last claimed piece is done, so a worker that comes late does no harm: it finds
// nothing, or pieces of the next job.
type pool struct {
	isa     kernel.ISA
	spin    int // polls before who waits goes to sleep
	scratch []arena
	kept    []any // what kernels keep between calls

	job     job
	queues  []queue
	sleeper []sleeper // of worker w, and of the caller while it joins at 0
	joined  func() bool

	_    [cacheLine]byte
	seq  atomic.Uint32 // jobs begun; what waiting workers look at
	stop atomic.Bool
	_    [cacheLine]byte
	left atomic.Int64 // pieces of the job that are not done
	_    [cacheLine]byte

	live   sync.WaitGroup
	failed atomic.Bool
	mu     sync.Mutex
	panic  any // of a body; the first one counts
}

// cacheLine keeps what different workers write apart; two lines, as processors
// fetch them in pairs.
const cacheLine = 128

// job is a range, cut into pieces of almost equal length.
type job struct {
	body      func(lo, hi, worker int)
	n, pieces int
	shares    int // queues that have a share
}

// queue counts the pieces of a share that nobody has claimed.
type queue struct {
	open atomic.Int64
	_    [cacheLine - 8]byte
}

// newPool starts the workers and gives each its scratch memory.
func newPool(workers int, isa kernel.ISA) (*pool, error) {
	p := &pool{isa: isa, queues: make([]queue, workers), sleeper: make([]sleeper, workers)}
	if workers <= min(runtime.GOMAXPROCS(0), runtime.NumCPU()) {
		p.spin = polls // else a poll would only keep another worker from running
	}
	p.joined = func() bool { return p.left.Load() == 0 }
	for range workers {
		a, err := allocate(4 * kernel.ScratchLen)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("allocate scratch memory of a worker: %w", err), release(p.scratch...))
		}
		p.scratch = append(p.scratch, a)
	}
	for w := range p.sleeper {
		p.sleeper[w].wake = make(chan struct{}, 1)
	}
	p.live.Add(workers - 1)
	for w := 1; w < workers; w++ {
		go p.serve(w)
	}
	return p, nil
}

// Workers is the number of workers, the caller included.
func (p *pool) Workers() int { return len(p.queues) }

// ISA is the instruction set that kernels use.
func (p *pool) ISA() kernel.ISA { return p.isa }

// Scratch is memory of a worker that is of no meaning between two kernels.
func (p *pool) Scratch(worker int) []float32 { return elements[float32](p.scratch[worker].mem) }

// Keep is where kernels keep what they would otherwise allocate in every call.
func (p *pool) Keep() *[]any { return &p.kept }

// For cuts [0,n) into pieces of almost equal length and at least grain, and
// returns when all are done. A panic of a body is raised here.
func (p *pool) For(n, grain int, body func(lo, hi, worker int)) {
	workers := len(p.queues)
	pieces := pieces(n, grain, workers)
	if pieces <= 1 || workers == 1 {
		if n > 0 {
			body(0, n, 0)
		}
		return
	}
	shares := min(workers, pieces)
	p.job = job{body, n, pieces, shares}
	p.left.Store(int64(pieces))
	for w := range shares {
		p.queues[w].open.Store(int64((w+1)*pieces/shares - w*pieces/shares))
	}
	p.seq.Add(1)
	for w := 1; w < shares; w++ {
		p.sleeper[w].rouse()
	}
	p.work(0)
	p.sleeper[0].wait(p.spin, p.joined)
	p.job.body = nil
	if p.failed.Load() {
		p.raise()
	}
}

// raise panics with what stopped a body, and leaves the pool ready.
func (p *pool) raise() {
	p.mu.Lock()
	v := p.panic
	p.panic = nil
	p.failed.Store(false)
	p.mu.Unlock()
	panic(v)
}

// work takes pieces until there are none.
func (p *pool) work(self int) {
	done, workers := 0, len(p.queues)
	for k := range workers {
		q := self + k
		if q >= workers {
			q -= workers
		}
		for n := p.queues[q].claim(); n > 0; n = p.queues[q].claim() {
			p.piece(q, n, self)
			done++
		}
	}
	if done > 0 && p.left.Add(-int64(done)) == 0 {
		p.sleeper[0].rouse()
	}
}

// claim takes the next piece of a share and returns how many were open before,
// 0 when none was.
func (q *queue) claim() int {
	for {
		n := q.open.Load()
		if n == 0 || q.open.CompareAndSwap(n, n-1) {
			return int(n)
		}
	}
}

// piece does the piece of share q that was claimed when n were open.
func (p *pool) piece(q, n, self int) {
	if p.failed.Load() {
		return
	}
	defer p.caught()
	j := &p.job
	i := (q+1)*j.pieces/j.shares - n
	j.body(i*j.n/j.pieces, (i+1)*j.n/j.pieces, self)
}

// caught keeps the panic of a body for the caller.
func (p *pool) caught() {
	v := recover()
	if v == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.panic == nil {
		p.panic = fmt.Sprintf("%v\n%s", v, debug.Stack())
	}
	p.failed.Store(true)
}

// serve is a worker's life: jobs, one after the other.
func (p *pool) serve(self int) {
	defer p.live.Done()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer kernel.FlushDenormals()()
	seen := uint32(0)
	begun := func() bool { return p.seq.Load() != seen }
	for {
		p.sleeper[self].wait(p.spin, begun)
		seen = p.seq.Load() // before the queues are looked at, so that no job is missed
		if p.stop.Load() {
			return
		}
		p.work(self)
	}
}

// close ends the goroutines and frees their memory; no For may be running.
func (p *pool) close() error {
	p.stop.Store(true)
	p.seq.Add(1)
	for w := range p.sleeper {
		p.sleeper[w].rouse()
	}
	p.live.Wait()
	return release(p.scratch...)
}
