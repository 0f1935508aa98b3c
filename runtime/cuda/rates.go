package cuda

// Rates is what the first device does at most.
type Rates struct {
	Device
	Multiprocessors int
	FLOPS           float64 // FLOP/s of products by the data sheet, at the highest clock; 0 = not known
	Bandwidth       float64 // bytes/s of a copy in its memory, read and written
	H2D, D2H        float64 // bytes/s of a copy from pinned host memory, and back
	Launch          float64 // nanoseconds from one launch to the next, of kernels that do nothing
}

// perClock is the multiply-adds of one multiprocessor in a clock, sums in float32
// and nothing sparse: the table "Arithmetic Instructions" of the CUDA C++
// Programming Guide for f32, the white papers of the architectures for the others.
var perClock = []struct {
	major, minor    int
	f32, half, tf32 float64
}{
	{7, 0, 64, 512, 0}, {7, 5, 64, 512, 0}, {8, 0, 64, 1024, 512}, {8, 6, 128, 512, 256}, {8, 9, 128, 512, 256}, {9, 0, 128, 2048, 1024},
}

// peak is the FLOP/s of products (precision.products) on so many multiprocessors
// at a clock in Hz; 0 for an architecture that is not in the table.
func peak(d *Device, products string, multiprocessors int, clock float64) float64 {
	for _, p := range perClock {
		if p.major != d.Major || p.minor != d.Minor {
			continue
		}
		rate := p.f32
		switch products {
		case "bf16dot", "f16dot":
			rate = p.half
		case "tf32":
			rate = p.tf32
		}
		return 2 * rate * float64(multiprocessors) * clock
	}
	return 0
}
