//go:build cuda

package cuda

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/runtime/exec"
)

// cost runs the section micro of a small plan n times, as a graph or from the
// bound loop, and is its nanoseconds and the number of its launches and copies:
// "12345 67".
func cost(graphs bool, n int) string {
	p := small(2)
	s, err := open(p, exec.Options{}, Engine{Library: driver(), NoGraphs: !graphs}, mustModules(), &table)
	if err != nil {
		return err.Error()
	}
	steps := s.sections[ir.Micro]
	launches := 0
	for i := range steps.array {
		if strings.HasPrefix(steps.call(i), "cuLaunch") || strings.HasPrefix(steps.call(i), "cuMemcpy") {
			launches++
		}
	}
	var spent time.Duration
	err = s.thread.do(func() error {
		if made := s.graphed(ir.Micro); made != graphs {
			return fmt.Errorf("is a graph: %v, want %v: %v", made, graphs, s.queuedSections())
		}
		began := time.Now()
		for range n {
			var err error
			if graphs {
				err = s.gpu.launchGraph(&s.graphs[ir.Micro])
			} else {
				_, err = steps.queue(0, len(steps.array))
			}
			if err != nil {
				return err
			}
		}
		spent = time.Since(began)
		return nil
	})
	if err = first([]error{err, s.Close()}); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d %d", spent.Nanoseconds(), launches)
}

// BenchmarkLaunch is what the engine's own side of a section costs: on the null
// driver, or on that of GRADCUE_TEST_LIBCUDA, whose time to take the calls is then
// in it.
func BenchmarkLaunch(b *testing.B) {
	library := simulated("libcuda-null.so")
	if driver() != plainDriver {
		library = driver()
	}
	for _, how := range []string{"loop", "graph"} {
		b.Run(how, func(b *testing.B) {
			got := child(b, fmt.Sprintf("cost %s %d", how, b.N), library, "")
			var nanos, launches int64
			if _, err := fmt.Sscanf(got, "%d %d", &nanos, &launches); err != nil {
				b.Fatal(got)
			}
			b.ReportMetric(float64(nanos)/float64(b.N), "ns/op")
			b.ReportMetric(float64(nanos)/float64(int64(b.N)*launches), "ns/launch")
		})
	}
}
