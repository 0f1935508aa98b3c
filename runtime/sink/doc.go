// Package sink is where a run says what happens: events for programs and a
// status for people.
//
// Events are one JSON object a line in a file that is only appended to. The
// window loop writes them; reports, exports and comparisons read them and
// nothing else. A run that continues repeats the updates after its last save, so
// of two records with the same u the last counts ([Updates]). A line that a
// killed process left unfinished is passed over.
//
// The status line
//
//	update 120/400  loss 1.234  norm 0.87  lr 2.9e-03  12.3k tok/s  ETA 1m12s
//
// is defined here and nowhere else. On a terminal it is rewritten in place,
// elsewhere a line is written now and then, so that logs stay short.
package sink
