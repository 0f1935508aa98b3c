// Package fuse replaces neighbouring ops by one op that computes the same named
// results, each rounded before the next stage reads it, so that fused and
// unfused give the same bits. It runs once, before placement; nothing fuses or
// splits afterwards.
//
// A rule is data: producer, consumer, fused op. What it may leave out is a result
// that the consumer alone reads, such as the product that a residual sum takes:
// nothing is decided about it, and no gradient needs it.
package fuse
