package check

import "fmt"

var windowLast = Rule{
	ID: "window.last", Title: "the last window of an epoch has a policy", Formula: "batches mod K = 0, or carry, drop (said in window.last) or flush with its own size; updates > 0",
	Doc: "An epoch seldom ends with a full window. The rest is carried into the next epoch, flushed as a smaller window that is divided by its own size, or dropped if the spec says so. Dividing it by K makes its gradient m/K of the right one. Where an epoch has fewer micro-batches than K, dropping the rest drops everything.",
	Spec: func(in *Input) (fs []Finding) {
		p, k := in.pipeline(), in.Experiment.Window.MicroBatches
		n := p.window.Batches
		last, field := p.window.Last, "pipeline.window.last"
		if last == "" {
			last, field = in.Experiment.Window.Last, "window.last"
		}
		if n > 0 && n%k == 0 || k == 1 {
			return nil
		}
		related := []string{"window.microBatches", "pipeline.window.batches"}
		if p.window.LastDividedBy == "K" && last != "drop" && (last != "carry" || p.window.Last == "") {
			f := Finding{Field: "pipeline.window.lastDividedBy", Related: related, Help: "divide the last window by the micro-batches it has"}
			if n > 0 {
				f.Summary = fmt.Sprintf("the last window of an epoch has %d of %d micro-batches and is divided by %d: its gradient is %s of the right one", n%k, k, k, number(float64(n%k)/float64(k)))
			} else {
				f.Summary = fmt.Sprintf("the last window of an epoch can have fewer than %d micro-batches, and is divided by %d", k, k)
			}
			return append(fs, f)
		}
		if last != "drop" || n == 0 && in.Experiment.Window.Last == "drop" {
			return nil
		}
		switch {
		case n > 0 && n < k:
			fs = append(fs, Finding{Field: field, Related: related, Help: "carry or flush the last window, or use fewer micro-batches",
				Summary: fmt.Sprintf("an epoch has %d micro-batches, a window %d: every window is dropped, and there is no update at all", n, k)})
		case in.Experiment.Window.Last == "drop":
		case n > 0:
			fs = append(fs, Finding{Field: field, Related: related, Help: "carry or flush the last window, or say window.last: \"drop\"",
				Summary: fmt.Sprintf("the last %d of %d micro-batches of each epoch (%s %%) are dropped, and window.last is %s", n%k, n, number(100*float64(n%k)/float64(n)), in.Experiment.Window.Last)})
		default:
			fs = append(fs, Finding{Field: field, Related: related, Help: "carry or flush the last window, or say window.last: \"drop\"",
				Summary: fmt.Sprintf("micro-batches that do not fill a window of %d are dropped in each epoch, and window.last is %s", k, in.Experiment.Window.Last)})
		}
		return fs
	},
}
