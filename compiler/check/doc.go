// Package check holds the rules that need more than CUE can say: each is a value
// with an id, a title, its formula, its text for explain, and a function that
// returns findings with the numbers put into the formula and the user's field.
//
// A rule runs on the spec before compiling (Spec) or on the finished plan
// (Plan). It never fires where something it reads is already known to be broken:
// the compiler does not run it then. What plain CUE can say is not repeated here.
package check
