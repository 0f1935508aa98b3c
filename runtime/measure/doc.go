// Package measure collects how long each command of a run took, beside what the
// plan predicted for it.
//
// A [Collector] is the observer of a session; times are monotonic nanoseconds of
// the clock it was given. Keys are those of the plan (section and command), so
// predicted and measured are joined without matching names. Totals are sums over
// all runs of a section; commands of different streams overlap, so the sums are
// not the time on the wall.
package measure
