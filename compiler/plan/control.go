package plan

// Slots of the control buffer, f64[ir.ControlLen]. The host writes the first
// group before a section, clip writes the second on the device, the host reads
// it back once per update.
const (
	CtlC     = iota // c = f32(s/N): the one factor between Σ and the gradient
	CtlAcc          // 0 for the first micro-batch that runs (store), 1 later (continue)
	CtlScale        // s
	CtlLR           // η_u
	CtlBC1          // 1 − β1^u
	CtlBC2          // 1 − β2^u
	CtlU            // u of the update being made, from 1
	CtlSeq0         // index in the window of the micro-batch's first sequence

	CtlNorm   // global norm of g = g̃/s before clipping
	CtlFinite // 1 when every gradient is finite
	CtlClip   // clip factor, min(1, max/norm)
	CtlApply  // 1 when the update is applied
	CtlGScale // factor on the stored gradient: clip/s
)
