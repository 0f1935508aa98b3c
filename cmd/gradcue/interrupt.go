package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// interrupts listens for Ctrl-C and SIGTERM: the first closes stop, the second
// ends the context. end gives the signals back.
func (a *app) interrupts(ctx context.Context, saves bool) (_ context.Context, stop <-chan struct{}, end func()) {
	ctx, cancel := context.WithCancel(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	asked, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		first := true
		for range signals {
			if !first {
				cancel()
				continue
			}
			first = false
			what := "finishing the update"
			if saves {
				what += " and saving"
			}
			if a.errTTY {
				fmt.Fprintln(a.stderr) // the line of the progress has no end yet
			}
			fmt.Fprintf(a.stderr, "%s; once more to leave at once\n", what)
			close(asked)
		}
	}()
	return ctx, asked, func() {
		signal.Stop(signals)
		close(signals)
		<-done
		cancel()
	}
}
