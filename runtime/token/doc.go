// Package token turns text into ids and back.
//
// The only tokenizer so far is bytes: the id of a byte is its value, so ids are
// 0…255 and nothing has to be learned or downloaded; the end of a document may
// be id 256. A tokenizer is a pure function of its arguments: equal text gives
// equal ids on every machine.
//
// The package reads no files and knows no rows; that is package data.
package token
