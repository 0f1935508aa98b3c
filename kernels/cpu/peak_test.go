package cpu_test

import (
	"fmt"
	"testing"

	"github.com/gradcue/gradcue/kernels/cpu"
)

// tiersOf are the tiers of this machine.
func allTiers() []cpu.ISA {
	var all []cpu.ISA
	for u := cpu.Go; u <= cpu.Detect(); u++ {
		all = append(all, u)
	}
	return all
}

func BenchmarkPeak(b *testing.B) {
	for _, u := range allTiers() {
		for _, workers := range []int{1, 2} {
			p := newTeam(u, workers)
			b.Run(fmt.Sprintf("%s/%d", u, workers), func(b *testing.B) {
				flops := int64(0)
				for b.Loop() {
					flops += cpu.Peak(p, 100000)
				}
				b.ReportMetric(float64(flops)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}

func BenchmarkProducts(b *testing.B) {
	for _, u := range allTiers() {
		for _, workers := range []int{1, 2} {
			p := newTeam(u, workers)
			for _, s := range [][3]int{{256, 768, 768}, {256, 768, 2304}, {256, 768, 3072}, {256, 3072, 768}, {2048, 96, 384}, {128, 768, 50257}} {
				R, K, N := s[0], s[1], s[2]
				x, w, y, bias := ones(R*K), ones(N*K), ones(R*N), ones(N)
				run := func(name string, f func()) {
					b.Run(fmt.Sprintf("%s/%d/%s/%dx%dx%d", u, workers, name, R, K, N), func(b *testing.B) {
						for b.Loop() {
							f()
						}
						rate(b, 2*R*K*N)
					})
				}
				run("NT", func() { cpu.Linear(p, y, x, w, bias, R, K, N) })
				run("NN", func() { cpu.LinearDX(p, x, y, w, R, K, N) })
				run("TN", func() { cpu.LinearDW(p, w, y, x, R, K, N, false) })
			}
		}
	}
}
