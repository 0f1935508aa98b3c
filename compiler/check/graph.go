package check

// graphRules are the rules on attention, recompute, offload, graph, memory and auxiliary losses.
func graphRules() []Rule {
	return nil
}
