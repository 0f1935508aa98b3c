package cuda

// Target is what plans for this engine are compiled for: the oldest architecture
// that its kernels run on.
const Target = "cuda:sm_80"

// Engine runs plans for [Target] on the first CUDA device. In a binary that was
// built without the tag cuda its Open answers [ErrNotBuilt].
type Engine struct {
	Library string // path of the driver library; "" = the system's
	// Split gives each buffer an allocation of its own, so that a kernel that
	// leaves its buffer is found by the checking driver. It is for finding
	// mistakes: more memory is taken than the plan says.
	Split bool
}

// Name is "cuda".
func (Engine) Name() string { return "cuda" }
