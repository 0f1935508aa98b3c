package main

import (
	"fmt"
	"strconv"
)

// group writes an integer with commas between thousands.
func group(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// si writes a quantity with a decimal prefix and three digits: 3.21 PFLOP.
func si(x float64, unit string) string {
	const prefixes = " kMGTPEZY"
	i := 0
	for x >= 999.5 && i < len(prefixes)-1 {
		x /= 1000
		i++
	}
	digits := 2
	for limit := 9.995; digits > 0 && x >= limit; limit *= 10 {
		digits--
	}
	prefix := ""
	if i > 0 {
		prefix = prefixes[i : i+1]
	} else if x == float64(int64(x)) {
		digits = 0
	}
	s := strconv.FormatFloat(x, 'f', digits, 64)
	if prefix+unit == "" {
		return s
	}
	return s + " " + prefix + unit
}

// percent writes a part of a whole; nothing of nothing is 0.
func percent(part, whole int64) string {
	if whole == 0 {
		return "0.0 %"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}

// plural is "1 error" or "2 errors".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return group(int64(n)) + " " + noun + "s"
}
