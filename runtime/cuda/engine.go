package cuda

// Target is what plans for this engine are compiled for: the oldest architecture
// that all its kernels run on. A plan for BaseTarget uses no tensor cores and runs
// on devices of compute capability 7.0 and 7.5 too.
const (
	Target     = "cuda:sm_80"
	BaseTarget = "cuda:sm_70"
)

// Engine runs plans for [Target] and [BaseTarget] on the first CUDA device. In a binary that was
// built without the tag cuda its Open answers [ErrNotBuilt].
type Engine struct {
	Library string // path of the driver library; "" = the system's
	// Split gives each buffer an allocation of its own, so that a kernel that
	// leaves its buffer is found by the checking driver. It is for finding
	// mistakes: more memory is taken than the plan says.
	Split bool
	// NoGraphs queues every command each time instead of launching a graph of its
	// section. It computes the same.
	NoGraphs bool
	// CublasLt is the path of cuBLASLt, which may make the products that the spec
	// gives to the tensor cores. "" has kernels of our own only, LibraryAny looks for
	// it where the system does and in Folders (patterns).
	CublasLt string
	Folders  []string
}

// LibraryAny is the CublasLt of an engine that looks for the library.
const LibraryAny = "any"

// Name is "cuda".
func (Engine) Name() string { return "cuda" }
