package cpu

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// pool is the Par of the kernels: a fixed number of workers, of which the
// caller is number 0 and the others are goroutines that wait between pieces.
// For is called by one goroutine at a time and not from inside a body.
type pool struct {
	tasks []chan task // of workers 1, 2, …
	open  sync.WaitGroup
	live  sync.WaitGroup
	mu    sync.Mutex
	panic any // of a body on another goroutine
}

// task is one piece of a range.
type task struct {
	body   func(lo, hi, worker int)
	lo, hi int
}

func newPool(workers int) *pool {
	p := &pool{tasks: make([]chan task, workers-1)}
	for i := range p.tasks {
		p.tasks[i] = make(chan task, 1)
		p.live.Add(1)
		go p.serve(p.tasks[i], i+1)
	}
	return p
}

// Workers is the number of workers, the caller included.
func (p *pool) Workers() int { return len(p.tasks) + 1 }

// For splits [0,n) into one piece for each worker, of almost equal length and at
// least grain, and returns when all are done. A panic of a body is raised here.
func (p *pool) For(n, grain int, body func(lo, hi, worker int)) {
	if n <= 0 {
		return
	}
	pieces := max(1, min(p.Workers(), n/max(1, grain)))
	each, rest := n/pieces, n%pieces
	first := each + min(rest, 1)
	p.open.Add(pieces - 1)
	lo := first
	for w := 1; w < pieces; w++ {
		hi := lo + each
		if w < rest {
			hi++
		}
		p.tasks[w-1] <- task{body, lo, hi}
		lo = hi
	}
	defer p.join() // also when body panics here: the others may still run
	body(0, first, 0)
}

// join waits for the pieces of the other workers.
func (p *pool) join() {
	p.open.Wait()
	if v := p.panic; v != nil {
		p.panic = nil
		panic(v)
	}
}

func (p *pool) serve(tasks <-chan task, worker int) {
	defer p.live.Done()
	for t := range tasks {
		p.piece(t, worker)
	}
}

func (p *pool) piece(t task, worker int) {
	defer p.open.Done()
	defer func() {
		if v := recover(); v != nil {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.panic = fmt.Sprintf("%v\n%s", v, debug.Stack())
		}
	}()
	t.body(t.lo, t.hi, worker)
}

// close ends the goroutines; no For may be running.
func (p *pool) close() {
	for _, c := range p.tasks {
		close(c)
	}
	p.live.Wait()
}
