package plan

import "fmt"

// Bytes prints a size in binary units, exact below 1 KiB.
func Bytes(n int64) string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	if n < 1<<10 {
		return fmt.Sprintf("%s%d B", sign, n)
	}
	x, unit := float64(n)/(1<<10), 0
	for x >= 1024 && unit < 4 {
		x /= 1024
		unit++
	}
	return fmt.Sprintf("%s%.2f %ciB", sign, x, "KMGTP"[unit])
}

// Duration prints nanoseconds with three digits and a unit, from two minutes on
// in minutes and seconds, from two hours on in hours and minutes.
func Duration(ns int64) string {
	sign := ""
	if ns < 0 {
		sign, ns = "-", -ns
	}
	for _, u := range []struct {
		size float64
		name string
	}{{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}} {
		if x := float64(ns) / u.size; x < 999.5 {
			return fmt.Sprintf("%s%.3g %s", sign, x, u.name)
		}
	}
	switch s := (ns + 5e8) / 1e9; {
	case s < 120:
		return fmt.Sprintf("%s%.3g s", sign, float64(ns)/1e9)
	case s < 7200:
		return fmt.Sprintf("%s%d min %d s", sign, s/60, s%60)
	default:
		return fmt.Sprintf("%s%d h %d min", sign, s/3600, s/60%60)
	}
}
