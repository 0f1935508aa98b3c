package train

import (
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/state"
)

// rescale moves a dynamic loss scale after an update: it backs off after a
// skipped one and grows after so many applied ones in a row. The count starts
// again at every change. A static scale and none stay as they are.
func rescale(p *plan.Precision, st *state.State, applied bool) {
	if p.Scaler != "dynamic" {
		return
	}
	if !applied {
		st.Scale *= p.Backoff
		st.Clean = 0
		return
	}
	if st.Clean++; st.Clean >= p.Every {
		st.Scale *= p.Growth
		st.Clean = 0
	}
}
