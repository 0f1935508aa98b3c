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

// Duration prints nanoseconds with a unit that keeps three digits.
func Duration(ns int64) string {
	x := float64(ns)
	for _, u := range []struct {
		limit float64
		name  string
	}{{1e3, "ns"}, {1e6, "µs"}, {1e9, "ms"}} {
		if x < u.limit {
			return fmt.Sprintf("%.3g %s", x/(u.limit/1e3), u.name)
		}
	}
	if x < 120e9 {
		return fmt.Sprintf("%.3g s", x/1e9)
	}
	return fmt.Sprintf("%.0f min", x/60e9)
}
