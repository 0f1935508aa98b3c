package cpu_test

import (
	"sync"

	"github.com/gradcue/gradcue/kernels/cpu"
)

// team is a Par on an instruction set, with scratch space for every worker.
type team struct {
	isa     cpu.ISA
	scratch [][]float32
}

func newTeam(u cpu.ISA, workers int) *team {
	t := &team{isa: u}
	for range workers {
		t.scratch = append(t.scratch, make([]float32, cpu.ScratchLen))
	}
	return t
}

func (t *team) Workers() int { return len(t.scratch) }

func (t *team) ISA() cpu.ISA { return t.isa }

func (t *team) Scratch(worker int) []float32 { return t.scratch[worker] }

// For gives each worker one contiguous piece.
func (t *team) For(n, grain int, body func(lo, hi, worker int)) {
	workers := max(1, min(t.Workers(), n/max(1, grain)))
	var wg sync.WaitGroup
	for w := 1; w < workers; w++ {
		wg.Go(func() { body(w*n/workers, (w+1)*n/workers, w) })
	}
	if n > 0 {
		body(0, n/workers, 0)
	}
	wg.Wait()
}
