package diag

import "slices"

// Suggest returns the candidate that is nearest to word, if its edit distance
// (insertions, deletions, replacements and swaps of neighbours) is at most 2 and
// less than half the word's length, rounded up. Of equals the first in sorted
// order is taken.
func Suggest(word string, candidates []string) (string, bool) {
	w := []rune(word)
	limit := min(2, (len(w)+1)/2)
	best, found := "", false
	for _, c := range slices.Sorted(slices.Values(candidates)) {
		if d := distance(w, []rune(c)); c != word && d <= limit {
			best, found, limit = c, true, d-1
		}
	}
	return best, found
}

// distance is the optimal string alignment distance of a and b, in O(len(a)*len(b)).
func distance(a, b []rune) int {
	var before []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
