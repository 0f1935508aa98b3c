package plan

import (
	"crypto/sha256"
	"encoding/hex"
)

// Seal fills in the three hashes; whoever changes a plan seals it again.
//
//	Identity  what may not change between a run and its resume (see identity)
//	Program   target, workers, arenas, buffers, commands without times, run
//	File      everything, with the other two hashes filled in
//
// The error is that of Encode.
func Seal(p *Plan) error {
	h, err := hashes(p)
	if err == nil {
		p.Hashes = h
	}
	return err
}

func hashes(p *Plan) (h Hashes, err error) {
	if h.Identity, err = digest(identityOf(p)); err != nil {
		return h, err
	}
	if h.Program, err = digest(programOf(p)); err != nil {
		return h, err
	}
	q := *p
	q.Hashes = h
	file, err := digest(&q)
	h.File = file
	return h, err
}

// digest is the sha256 of the canonical JSON of v, in hexadecimal.
func digest(v any) (string, error) {
	b, err := canonical(v)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// program is what goldens compare: what runs where, without predicted times.
type program struct {
	Target   string    `json:"target"`
	Workers  int       `json:"workers"`
	Arenas   []Arena   `json:"arenas"`
	Buffers  []Buffer  `json:"buffers"`
	Sections []Section `json:"sections"`
	Run      Run       `json:"run"`
}

func programOf(p *Plan) program {
	g := program{p.Target, p.Workers, p.Arenas, p.Buffers, make([]Section, len(p.Sections)), p.Run}
	for i, s := range p.Sections {
		commands := make([]Command, len(s.Commands))
		copy(commands, s.Commands)
		for j := range commands {
			commands[j].Nanos = 0
		}
		g.Sections[i] = Section{s.Name, commands}
	}
	return g
}
