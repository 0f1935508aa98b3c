package main

import "strings"

// The words a cast is drawn from. A place is written with its preposition, so that "went to" and "in" both read well.
var (
	girls = []string{"Mia", "Anna", "Lily", "Rosa", "Ella", "Nora", "Ruby"}
	boys  = []string{"Tom", "Ben", "Sam", "Leo", "Max", "Finn", "Hugo"}

	animals = []string{"dog", "cat", "bird", "rabbit", "fox", "duck", "goat", "horse", "mouse", "frog", "hen", "owl"}
	colours = []string{"brown", "white", "black", "grey", "yellow", "red"}
	sizes   = []string{"little", "small", "big", "young", "old"}

	places = []string{"in the garden", "in the park", "in the forest", "in the field", "in the village", "by the river",
		"by the lake", "by the sea", "on the hill", "on the farm"}
	things = []string{"ball", "kite", "hat", "book", "drum", "boat", "bell", "doll", "lamp", "ring"}
	dishes = []string{"bread", "cake", "soup", "pie"} // what one can make at home
	foods  = []string{"bread", "cake", "soup", "pie", "cheese", "honey", "rice", "corn"}
	fruit  = []string{"apple", "pear", "plum", "orange", "peach", "melon"}

	weathers = []string{"sunny", "warm", "cold", "windy", "cloudy", "bright", "quiet"}
	elders   = []string{"mother", "father", "grandmother", "grandfather"}
)

// pronouns are the forms of one person: subject, object, possessive.
type pronouns struct{ he, him, his string }

// newCast draws the words one story uses throughout and returns them as pairs slot, word for strings.NewReplacer. The
// hero and the friend are a girl and a boy in either order, so that "he" and "she" are never ambiguous; animals are "it".
// Each slot has a form with a capital ({Hero}) and one with the indefinite article ({a animal}, {A animal}).
func newCast(r *rng) []string {
	girl, boy := r.from(girls), r.from(boys)
	she, he := pronouns{"she", "her", "her"}, pronouns{"he", "him", "his"}
	hero, pal, h, p := girl, boy, she, he
	if r.pick(2) == 1 {
		hero, pal, h, p = boy, girl, he, she
	}
	at, at2 := r.two(places)
	animal, animal2 := r.two(animals)
	colour, colour2 := r.two(colours)
	words := []string{
		"hero", hero, "he", h.he, "him", h.him, "his", h.his,
		"pal", pal, "phe", p.he, "phim", p.him, "phis", p.his,
		"animal", animal, "animal2", animal2, "colour", colour, "colour2", colour2, "size", r.from(sizes),
		"at", at, "place", bare(at), "at2", at2, "place2", bare(at2),
		"thing", r.from(things), "food", r.from(foods), "fruit", r.from(fruit), "dish", r.from(dishes),
		"weather", r.from(weathers), "elder", r.from(elders),
	}
	var pairs []string
	for i := 0; i < len(words); i += 2 {
		slot, word := words[i], words[i+1]
		pairs = append(pairs, "{"+slot+"}", word, "{"+capital(slot)+"}", capital(word),
			"{a "+slot+"}", article(word)+" "+word, "{A "+slot+"}", capital(article(word))+" "+word)
	}
	return pairs
}

// bare is a place without its preposition: "in the park" gives "the park".
func bare(at string) string {
	_, place, _ := strings.Cut(at, " ")
	return place
}

// article is the indefinite article of word. The vocabulary has no silent h and no "u" read as "you".
func article(word string) string {
	if strings.ContainsRune("aeiou", rune(word[0])) {
		return "an"
	}
	return "a"
}

// capital is s with its first letter in upper case; s is ASCII and not empty.
func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
