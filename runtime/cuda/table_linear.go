//go:build cuda

package cuda

import "fmt"

// product launches a matrix product of M×N elements, whose rows in memory have
// the given lengths. What kernel it is follows from storage and shape alone:
//
//   - tensor cores, for 16-bit storage whose rows are multiples of 16 bytes
//   - f32 cores with tiles of 128, where these are enough for a large GPU
//   - f32 cores with tiles of 64; the tile changes no bit
func product(kernel, dtype string, M, N int, lengths [2]int, params ...any) Launch {
	if dtype != "f32" && lengths[0]%8 == 0 && lengths[1]%8 == 0 {
		return onTensorCores(kernel+"_mma_"+dtype, 1, M, N, params...)
	}
	tile := 128
	if blocks(M, tile)*blocks(N, tile) < 128 {
		tile = 64
	}
	return tiled(fmt.Sprintf("%s_%d_%s", kernel, tile, dtype), tile, M, N, params...)
}

// tiled launches a product with a block of 256 threads for each tile, and two
// buffers of two tiles in shared memory.
func tiled(kernel string, tile, M, N int, params ...any) Launch {
	step := 1024 / tile
	return Launch{Kernel: kernel, Grid: [3]uint32{blocks(N, tile), blocks(M, tile), 1}, Block: [3]uint32{256, 1, 1},
		Shared: uint32(2 * 2 * step * (tile + 4) * 4), Params: slots(params...)}
}

// onTensorCores launches a product with a block of 256 threads for each tile of
// 128, and three stages of two tiles of 128 rows of 32+8 elements; those of the
// left operand have one or two 16-bit halves.
func onTensorCores(kernel string, halves, M, N int, params ...any) Launch {
	const tile, stages, row = 128, 3, 32 + 8
	return Launch{Kernel: kernel, Grid: [3]uint32{blocks(N, tile), blocks(M, tile), 1}, Block: [3]uint32{256, 1, 1},
		Shared: uint32(stages * tile * row * 2 * (halves + 1)), Params: slots(params...)}
}

func linear(o *operands) []Launch { return []Launch{linearInto(o, "y")} }

func linearInto(o *operands, y string) Launch {
	R, K, N := o.dim("x", 0), o.dim("x", 1), o.dim("w", 0)
	return product("linear", o.dtype("x"), R, N, [2]int{K, K}, o.addr(y), o.addr("x"), o.addr("w"), o.addr("b"), R, K, N)
}

// linearGELU computes act from fc as it is stored, so that act is the same when
// it is computed again.
func linearGELU(o *operands) []Launch {
	n, d := o.elems("fc"), o.dtype("fc")
	return []Launch{linearInto(o, "fc"), along("gelu_"+d, packs(n, d), 256, o.addr("act"), o.addr("fc"), n, o.attr.Tanh)}
}

// linearAdd adds the residual to the product as it is stored, in place.
func linearAdd(o *operands) []Launch {
	n, d := o.elems("y"), o.dtype("y")
	return []Launch{linearInto(o, "y"), along("add_"+d, packs(n, d), 256, o.addr("y"), o.addr("r"), o.addr("y"), n)}
}

func linearDX(o *operands) []Launch {
	R, K, N := o.dim("dy", 0), o.dim("w", 1), o.dim("w", 0)
	return []Launch{product("linear_dx", o.dtype("dy"), R, K, [2]int{N, K}, o.addr("dx"), o.addr("dy"), o.addr("w"), R, K, N)}
}

func linearDW(o *operands) []Launch {
	R, K, N := o.dim("x", 0), o.dim("x", 1), o.dim("dy", 1)
	return []Launch{product("linear_dw", o.dtype("x"), N, K, [2]int{N, K}, o.addr("gw"), o.addr("dy"), o.addr("x"), o.addr("ctl"), R, K, N)}
}

func linearDB(o *operands) []Launch {
	R, N := o.dim("dy", 0), o.dim("dy", 1)
	return []Launch{byColumns("linear_db_"+o.dtype("dy"), N, 1, o.addr("gb"), o.addr("dy"), o.addr("ctl"), R, N)}
}
