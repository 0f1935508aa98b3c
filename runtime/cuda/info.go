package cuda

// Info is what the driver says.
type Info struct {
	Version int      // CUDA version the driver supports, 1000·major + 10·minor
	Devices []Device // in the driver's order
}

// Device is one GPU.
type Device struct {
	Name         string
	Major, Minor int // compute capability: the target is cuda:sm_<Major><Minor>
	Bytes        int64
}
