package check

// trainingRules are the rules on data, targets, mask, loss, window, update and resume.
func trainingRules() []Rule {
	return []Rule{}
}
