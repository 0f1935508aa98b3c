package cpu

// Par runs the body of a kernel over a range of independent outputs.
//
// For calls body for contiguous pieces that together cover [0,n) exactly once and returns when
// all are done, without calling it for n = 0; a piece is at least grain long where n allows. worker is in [0,Workers()), and
// two bodies running at the same time never share it: it names the slice of workspace to use.
//
// A Par may have two more methods: ISA() ISA chooses the tier ([ISA]), Scratch(worker int) []float32 lends scratch memory
// ([ScratchLen]).
type Par interface {
	Workers() int
	For(n, grain int, body func(lo, hi, worker int))
}

// Serial is the Par of one worker: the caller's goroutine.
type Serial struct{}

// Workers returns 1.
func (Serial) Workers() int { return 1 }

// For calls body once for the whole range.
func (Serial) For(n, _ int, body func(lo, hi, worker int)) {
	if n > 0 {
		body(0, n, 0)
	}
}

// elementGrain is the smallest piece, in elements, worth a dispatch of an elementwise kernel.
const elementGrain = 4096

// rowGrain returns the rows that make up about elementGrain elements of width n.
func rowGrain(n int) int {
	if n <= 0 {
		return 1
	}
	return max(1, elementGrain/n)
}
