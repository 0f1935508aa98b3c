// Package visible is the one visible set of attention: query i of a sequence sees
// the keys [lo_i, i]. Causality, a sliding window, document borders and padding
// all become lo; kernels know lo and nothing else, and forward and backward use
// the same.
//
// lo_i > i is an empty row: output 0, gradient 0.
package visible
