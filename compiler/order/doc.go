// Package order turns a placed graph into the total order of commands of each
// section: nodes in graph order, each on its stream, with the events that order
// streams among each other.
//
// A node waits for another stream only where a data dependency or an After edge
// asks for it and no earlier wait has settled it already (vector clocks), so the
// list has no redundant events. Commands of one stream run in list order; all
// streams join at both ends of a section.
//
// It is not the learning-rate schedule: that is package rate.
package order
