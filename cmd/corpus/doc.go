// Command corpus writes the training text of the quickstart: short stories in simple English, made by a small seeded
// grammar.
//
//	go run ./cmd/corpus -seed 1 -bytes 300000 -o examples/quickstart/corpus
//
// writes train.txt (at most -bytes bytes, seed -seed) and eval.txt (at most -evalbytes bytes, seed -evalseed), each
// made of whole stories separated by one blank line. A story is one line of 5 to 12 sentences. The text is ASCII.
//
// The text is a function of the flags alone: the random numbers are SplitMix64 (rand.go), so another Go version, another
// machine or another day gives the same bytes. The committed files are compared with a fresh run by a test, and losses
// quoted anywhere in this project for the quickstart stay comparable.
//
// Why a grammar: the quickstart must show within minutes, on plain Go without vector instructions, that a model of about
// 0.15 M parameters learns. Ordinary prose has too much entropy for that, and the sources of this repository change
// with every commit.
//
// How a story is made (story.go): a cast is drawn (cast.go: hero, friend, animal, places, thing, food), then one plot
// (plots_*.go), which is a list of beats. A beat is a list of alternative templates and gives one sentence, or none when
// the empty alternative is drawn. In a template [a|b] is a choice made anew each time and {name} a word of the cast.
//
// What this is not: a language model, a tokenizer, or a text of any other origin: every sentence was written for this
// program.
package main
