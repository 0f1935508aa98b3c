// Package rate is η(u), the learning rate of effective update u as a function of
// u alone: constant, linear, cosine, and warm-up–stable–decay, with a linear
// warm-up. There is no schedule object with state, so a skipped update cannot
// tick it and a resume cannot lose it.
//
// It is not the order of commands; that is package order.
package rate
