package check

// trainingRules are the rules on data, targets, mask, loss, window, update and resume.
func trainingRules() []Rule {
	return []Rule{
		lossShift, lossEdge, maskAlign, maskPad, maskEOS, maskEmpty, maskIgnore, maskValue, maskOrder, maskRow,
		lossTokens, lossOnce, windowLast, cadenceUnit, cadenceBatch, cadenceZero,
		scaleOrder, scaleSkip, clipNorm, accumAdd, resumeState, resumeCursor,
	}
}
