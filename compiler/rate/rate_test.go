package rate

import (
	"math"
	"testing"
)

func TestFactorTable(t *testing.T) {
	constant := Schedule{Kind: "constant", Updates: 10, Warmup: 4, Floor: 0.5}
	linear := Schedule{Kind: "linear", Updates: 10, Warmup: 2, Floor: 0.1}
	cosine := Schedule{Kind: "cosine", Updates: 11, Floor: 0.2}
	warm := Schedule{Kind: "cosine", Updates: 14, Warmup: 3, Floor: 0.2}
	wsd := Schedule{Kind: "wsd", Updates: 10, Warmup: 2, Decay: 4}
	tests := []struct {
		name string
		s    Schedule
		u    int
		want float64
	}{
		{"warm-up begins above zero", constant, 1, 0.25},
		{"warm-up", constant, 3, 0.75},
		{"warm-up ends at the peak", constant, 4, 1},
		{"constant stays", constant, 10, 1},
		{"linear: the peak is held once", linear, 3, 1},
		{"linear", linear, 6, 1 - 0.9*3/7},
		{"linear ends at the floor", linear, 10, 0.1},
		{"cosine starts at the peak", cosine, 1, 1},
		{"cosine: half way", cosine, 6, 0.6},
		{"cosine ends at the floor", cosine, 11, 0.2},
		{"cosine after warm-up", warm, 4, 1},
		{"cosine after warm-up, half way", warm, 9, 0.6},
		{"cosine after warm-up ends at the floor", warm, 14, 0.2},
		{"wsd: plateau", wsd, 3, 1},
		{"wsd: decay has not begun", wsd, 6, 1},
		{"wsd: first of four", wsd, 7, 0.75},
		{"wsd: last", wsd, 10, 0},
		{"after the end the last rate stays", linear, 99, 0.1},
		{"before the first update", linear, 0, 0.5},
		{"one update", Schedule{Kind: "cosine", Updates: 1, Floor: 0.3}, 1, 1},
		{"only warm-up", Schedule{Kind: "linear", Updates: 4, Warmup: 4}, 4, 1},
		{"wsd with a decay longer than the run", Schedule{Kind: "wsd", Updates: 5, Decay: 50}, 1, 1},
	}
	for _, tt := range tests {
		if got := tt.s.Factor(tt.u); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%s: Factor(%d) = %v, want %v", tt.name, tt.u, got, tt.want)
		}
	}
}

func TestFactorStaysInRange(t *testing.T) {
	for _, kind := range []string{"constant", "linear", "cosine", "wsd"} {
		for _, floor := range []float64{0, 0.01, 0.1, 0.3, 1.0 / 3, 0.9, 1} {
			for updates := 1; updates <= 40; updates++ {
				for warm := 0; warm <= updates; warm += 3 {
					s := Schedule{Kind: kind, Updates: updates, Warmup: warm, Floor: floor, Decay: updates / 3}
					for u := 0; u <= updates+2; u++ {
						f := s.Factor(u)
						if !(f >= 0 && f <= 1) {
							t.Fatalf("%+v: Factor(%d) = %v is not in [0,1]", s, u, f)
						}
						if u > warm+1 && u > 1 && f > s.Factor(u-1) {
							t.Fatalf("%+v: the rate rises after the warm-up at %d", s, u)
						}
					}
					if last := s.Factor(updates); kind != "constant" && updates > warm+1 && last != floor && s.Decay > 0 {
						t.Fatalf("%+v: the last rate is %v, want exactly the floor", s, last)
					}
				}
			}
		}
	}
}
