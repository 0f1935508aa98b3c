package rate

import "math"

// Schedule is η(u). All counts are in effective (successful) updates.
type Schedule struct {
	Kind    string  `json:"kind"` // constant, linear, cosine, wsd
	Updates int     `json:"updates"`
	Warmup  int     `json:"warmup"`
	Floor   float64 `json:"floor"` // last rate as a fraction of the peak
	Decay   int     `json:"decay"` // wsd: length of the final decay
}

// Factor is η(u)/η_peak for u = 1 … Updates: u/Warmup while warming up, 1 at the
// first update after it, Floor at u = Updates for every kind but constant. It is
// in [0,1] for every u; u beyond Updates has the last rate.
func (s Schedule) Factor(u int) float64 {
	u = max(1, min(u, s.Updates))
	if u <= s.Warmup {
		return float64(u) / float64(s.Warmup)
	}
	switch s.Kind {
	case "linear":
		return s.fall(u, s.Warmup+1)
	case "cosine":
		x := s.progress(u, s.Warmup+1)
		return s.Floor + (1-s.Floor)*0.5*(1+math.Cos(math.Pi*x))
	case "wsd":
		return s.fall(u, max(s.Warmup+1, s.Updates-s.Decay))
	}
	return 1
}

// fall goes in a line from 1 at update first to Floor at Updates, exactly Floor
// there, which 1 − (1−Floor)·1 would miss by a rounding.
func (s Schedule) fall(u, first int) float64 { return s.Floor + (1-s.Floor)*(1-s.progress(u, first)) }

// progress is 0 up to update first and 1 at Updates.
func (s Schedule) progress(u, first int) float64 {
	if u <= first || s.Updates <= first {
		return 0
	}
	return float64(u-first) / float64(s.Updates-first)
}
