//go:build cuda

package cuda

import "fmt"

// onTensor reports whether products of operands of a storage type, whose rows in
// memory have the given lengths, are made on the tensor cores: what the plan's
// precision.products names is for one storage type, and rows are whole pieces of
// 16 bytes. The rest is made on the f32 cores, as products f32 always are. The
// kernels of tf32 are those named mma_f32.
func (o *operands) onTensor(dtype string, lengths ...int) bool {
	if tensorStorage[o.p.Run.Precision.Products] != dtype {
		return false
	}
	for _, n := range lengths {
		if n*bytesOf(dtype)%16 != 0 {
			return false
		}
	}
	return true
}

// tensorStorage is the storage type whose products an arithmetic is for, none for f32.
var tensorStorage = map[string]string{"bf16dot": "bf16", "f16dot": "f16", "tf32": "f32"}

// product launches a matrix product of M×N elements, whose rows in memory have
// the given lengths. What kernel it is follows from the plan's arithmetic, storage
// and shape alone:
//
//   - tensor cores where onTensor says so, else f32 cores
//   - tiles of 128, where these are enough for a large GPU, else of 64; the tile
//     changes no bit
func (o *operands) product(kernel, dtype string, M, N int, lengths [2]int, params ...any) Launch {
	tile := 128
	if blocks(M, tile)*blocks(N, tile) < 128 {
		tile = 64
	}
	if o.onTensor(dtype, lengths[0], lengths[1]) {
		return onTensorCores(fmt.Sprintf("%s_mma_%d_%s", kernel, tile, dtype), tile, M, N, params...)
	}
	return tiled(fmt.Sprintf("%s_%d_%s", kernel, tile, dtype), tile, M, N, params...)
}

// tiled launches a product with a block of 256 threads for each tile. In shared
// memory are two buffers of two tiles, and then the results: of tiles of 128 half,
// of tiles of 64 all.
func tiled(kernel string, tile, M, N int, params ...any) Launch {
	shared := 128 * 64 * 4
	if tile == 64 {
		shared = 2 * 2 * (1024 / tile) * (tile + 4) * 4
	}
	return Launch{Kernel: kernel, Grid: [3]uint32{blocks(N, tile), blocks(M, tile), 1}, Block: [3]uint32{256, 1, 1},
		Shared: uint32(shared), Params: slots(params...)}
}

// onTensorCores launches a product with a block of two threads for each row of a
// tile, and four stages of two tiles with rows of 64+16 bytes.
func onTensorCores(kernel string, tile, M, N int, params ...any) Launch {
	const stages, row = 4, 64 + 16
	return Launch{Kernel: kernel, Grid: [3]uint32{blocks(N, tile), blocks(M, tile), 1}, Block: [3]uint32{uint32(2 * tile), 1, 1},
		Shared: uint32(stages * 2 * tile * row), Params: slots(params...)}
}

// linearBy launches the product of a linear layer by a kernel that writes to into
// and does more or less with what it writes.
func linearBy(o *operands, kernel string, into []any, more ...any) Launch {
	R, K, N := o.dim("x", 0), o.dim("x", 1), o.dim("w", 0)
	params := append(append(into, o.addr("x"), o.addr("w"), o.addr("b"), R, K, N), more...)
	return o.product(kernel, o.dtype("x"), R, N, [2]int{K, K}, params...)
}

func linear(o *operands) []Launch {
	return []Launch{o.forward(linearBy(o, "linear", []any{o.addr("y")}), "y", "")}
}

// linearGELU computes act from fc as it is stored, so that act is the same when
// it is computed again.
func linearGELU(o *operands) []Launch {
	return []Launch{o.forward(linearBy(o, "linear_gelu", []any{o.addr("fc"), o.addr("act")}, o.attr.Tanh), "fc", "act")}
}

// linearAdd adds the residual to the product as it would be stored.
func linearAdd(o *operands) []Launch {
	return []Launch{o.forward(linearBy(o, "linear_add", []any{o.addr("y"), o.addr("r")}), "y", "")}
}

func linearDX(o *operands) []Launch {
	R, K, N := o.dim("dy", 0), o.dim("w", 1), o.dim("w", 0)
	return []Launch{o.gradientX(o.product("linear_dx", o.dtype("dy"), R, K, [2]int{N, K}, o.addr("dx"), o.addr("dy"), o.addr("w"), R, K, N))}
}

func linearDW(o *operands) []Launch {
	R, K, N := o.dim("x", 0), o.dim("x", 1), o.dim("dy", 1)
	return []Launch{o.gradientW(o.product("linear_dw", o.dtype("x"), N, K, [2]int{N, K}, o.addr("gw"), o.addr("dy"), o.addr("x"), o.addr("ctl"), R, K, N))}
}

func linearDB(o *operands) []Launch {
	R, N := o.dim("dy", 0), o.dim("dy", 1)
	return []Launch{byColumns("linear_db_"+o.dtype("dy"), N, 1, o.addr("gb"), o.addr("dy"), o.addr("ctl"), R, N)}
}
