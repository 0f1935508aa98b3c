// Package ir is the one representation of a training step between the spec and
// the plan: an append-only graph of nodes in topological order.
//
// A Node applies an Op to argument values and has one or more results; an ID
// names a result. Every node knows its section (which part of the timeline it
// runs in), its phase (forward, backward, recompute, transfer, update), its
// layer and its origin, the spec path that caused it. A pass takes a graph and
// returns a new one; nobody changes an argument.
//
// Everything a pass may ask of an op stands in the op table (Op.Info): names of
// arguments and results, which result is stored over which argument, the shape
// rule, FLOPs, scratch space and the cheapest op that reproduces a result.
// Passes ask the table and never switch on op names for a property.
//
// Print and Parse are inverse; that text (see print.go) is what goldens, docs and
// dumps show. Check states the invariants that every pass must keep.
//
// What the package is not: it knows no spec, no memory, no devices.
package ir
