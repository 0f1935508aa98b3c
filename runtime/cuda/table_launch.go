//go:build cuda

package cuda

import "math"

// slots are the parameters of a launch: device addresses and integers as they
// are, numbers by their bits, a condition as 0 or 1.
func slots(params ...any) []uint64 {
	s := make([]uint64, len(params))
	for i, p := range params {
		switch v := p.(type) {
		case uint64:
			s[i] = v
		case int:
			s[i] = uint64(int64(v))
		case int64:
			s[i] = uint64(v)
		case float64:
			s[i] = math.Float64bits(v)
		case bool:
			if v {
				s[i] = 1
			}
		default:
			panic("cuda: a parameter is an address, an integer, a number or a condition")
		}
	}
	return s
}

// blocks is ⌈n/size⌉.
func blocks(n, size int) uint32 { return uint32((n + size - 1) / size) }

// along launches a kernel with one thread for each of n pieces of work.
func along(kernel string, n, threads int, params ...any) Launch {
	return Launch{Kernel: kernel, Grid: [3]uint32{blocks(n, threads), 1, 1}, Block: [3]uint32{uint32(threads), 1, 1}, Params: slots(params...)}
}

// packs is the number of 16-byte pieces of n elements of a storage type.
func packs(n int, dtype string) int {
	per := 8
	if dtype == "f32" {
		per = 4
	}
	return (n + per - 1) / per
}

// byWarp launches a kernel of blocks of four warps with one warp for each of n rows.
func byWarp(kernel string, n int, params ...any) Launch { return along(kernel, 32*n, 128, params...) }

// byColumns launches a kernel that makes sums over rows of each of n columns.
func byColumns(kernel string, n, sums int, params ...any) Launch {
	l := along(kernel, 8*n, 256, params...) // a block of 256 threads owns 32 columns
	l.Shared = uint32(2 * sums * 64 * 32 * 4)
	return l
}
