//go:build cuda

package cuda

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// thread is an operating-system thread that makes every call to the driver: a
// context is current on one thread only.
type thread struct {
	calls chan func()
}

func newThread() *thread {
	t := &thread{calls: make(chan func())}
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		for f := range t.calls {
			f()
		}
	}()
	return t
}

// do runs f on the thread and waits. A panic of f is raised again here.
func (t *thread) do(f func() error) error {
	var err error
	var panicked any
	done := make(chan struct{})
	t.calls <- func() {
		defer close(done)
		defer func() {
			if v := recover(); v != nil {
				panicked = fmt.Sprintf("%v\n%s", v, debug.Stack())
			}
		}()
		err = f()
	}
	<-done
	if panicked != nil {
		panic(panicked)
	}
	return err
}

// end lets the thread end.
func (t *thread) end() { close(t.calls) }
