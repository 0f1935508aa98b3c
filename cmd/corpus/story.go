package main

import "strings"

// beat is a list of alternative templates for one sentence. The empty template leaves the sentence out.
type beat []string

// plot is what happens in a story, in order.
type plot []beat

// plots is every plot; a story draws one of them with equal chance.
func plots() []plot {
	return []plot{lost, hungry, stuck, noise, race, seed, baking, sharing, song}
}

// story returns the sentences of one story, 5 to 12 of them.
func story(r *rng) []string {
	all := plots()
	p := all[r.pick(len(all))]
	cast := strings.NewReplacer(newCast(r)...)
	var sentences []string
	for _, b := range p {
		if t := r.from(b); t != "" {
			sentences = append(sentences, cast.Replace(choose(r, t)))
		}
	}
	return sentences
}

// choose replaces every [a|b|c] of the template by one of its options. Options do not nest.
func choose(r *rng, template string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(template, "[")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		options, after, _ := strings.Cut(rest, "]")
		out.WriteString(r.from(strings.Split(options, "|")))
		template = after
	}
}

// text returns whole stories, one a line with a blank line between, of at most limit bytes. A story already told is told
// no second time. The text is empty when limit is smaller than the first story.
func text(seed uint64, limit int) []byte {
	r := &rng{state: seed}
	told := map[string]bool{}
	var out []byte
	for {
		s := strings.Join(story(r), " ") + "\n"
		if told[s] {
			continue
		}
		told[s] = true
		if len(out) > 0 {
			s = "\n" + s
		}
		if len(out)+len(s) > limit {
			return out
		}
		out = append(out, s...)
	}
}
