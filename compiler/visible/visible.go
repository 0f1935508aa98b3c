package visible

// Policy says what a query may see besides being causal.
type Policy struct {
	Window int  // sliding window in keys, including the query's own; 0 = no limit
	Docs   bool // documents of a row do not see each other
}

// Lo fills lo for one sequence: docs[t] is the document of position t, negative
// for padding, which sees nothing.
func (p Policy) Lo(lo []int32, docs []int32) {
	start := 0
	for t := range docs {
		if docs[t] < 0 {
			lo[t] = int32(t + 1)
			continue
		}
		if t > 0 && p.Docs && docs[t] != docs[t-1] || t > 0 && docs[t-1] < 0 {
			start = t
		}
		first := start
		if p.Window > 0 {
			first = max(first, t+1-p.Window)
		}
		lo[t] = int32(first)
	}
}

// Count is the number of keys that position t sees.
func Count(lo []int32, t int) int { return max(0, t+1-int(lo[t])) }
