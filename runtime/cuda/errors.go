package cuda

import (
	"fmt"

	"github.com/gradcue/gradcue/compiler/plan"
)

// MemoryError says that there is not as much memory as a plan needs.
type MemoryError struct {
	Pinned      bool  // memory of the host that must be pinned, else of the device
	Need        int64 // bytes that were asked for at once
	Free, Total int64 // bytes of the device
}

func (e *MemoryError) Error() string {
	if e.Pinned {
		return fmt.Sprintf("the plan needs %s of pinned host memory, the system does not give so much", plan.Bytes(e.Need))
	}
	return fmt.Sprintf("the plan needs %s of device memory, %s of %s are free: %s are missing",
		plan.Bytes(e.Need), plan.Bytes(e.Free), plan.Bytes(e.Total), plan.Bytes(e.Need-e.Free))
}

// Advice is what can be done.
func (e *MemoryError) Advice() string {
	if e.Pinned {
		return "offload less, or raise the limit of locked memory"
	}
	return "recompute or offload more, use smaller micro-batches, or end what else uses the device"
}

// BrokenError says that the device failed in a session: nothing of it can be read
// any more. The process must end before the device can be used again.
type BrokenError struct {
	Where string // section and command, or buffer
	Err   error
}

func (e *BrokenError) Error() string { return e.Where + ": " + e.Err.Error() }
func (e *BrokenError) Unwrap() error { return e.Err }

// Lost reports that what the session held is lost.
func (e *BrokenError) Lost() bool { return true }
