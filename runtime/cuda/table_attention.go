//go:build cuda

package cuda

import "fmt"

func rope(o *operands) []Launch {
	R, a, sign := o.dim("x", 0), o.attr, 1.0
	if a.Inverse {
		sign = -1
	}
	return []Launch{along("rope_"+o.dtype("x"), R*a.HeadDim/2, 256, o.addr("y"), o.addr("x"), o.addr("positions"),
		R, a.SeqLen, a.Heads, a.KVHeads, a.HeadDim, a.Base, sign)}
}

// attentionTile is the number of queries and of keys of a tile of heads up to widest wide.
func attentionTile(widest int) int {
	if widest <= 64 {
		return 32
	}
	return 16
}

// widestHead is the widest head of the kernel for heads of headDim: 64, 128 or 256.
func widestHead(headDim int) int {
	widest := 64
	for widest < headDim {
		widest *= 2
	}
	return widest
}

// perTile launches a kernel of attention: eight threads for each row of a tile, and
// a block for each tile of a sequence and each of n heads, with some tiles of rows
// of a head and some of scores in shared memory, and numbers for each row.
func perTile(o *operands, kernel string, n, rowTiles, scoreTiles, numbers int, params ...any) Launch {
	a := o.attr
	widest := widestHead(a.HeadDim)
	tile, stride := attentionTile(widest), (a.HeadDim+3)/4*4+4
	return Launch{
		Kernel: fmt.Sprintf("%s_%d_%s", kernel, widest, o.dtype("qkv")),
		Grid:   [3]uint32{blocks(a.SeqLen, tile), uint32(n), uint32(o.dim("qkv", 0) / a.SeqLen)},
		Block:  [3]uint32{uint32(8 * tile), 1, 1},
		Shared: uint32(4 * tile * (rowTiles*stride + scoreTiles*(tile+1) + numbers)),
		Params: slots(append(params, o.addr("lo"), a.SeqLen, a.Heads, a.KVHeads, a.HeadDim, a.Scale)...),
	}
}

// perTensorTile is perTile for the kernels on the tensor cores: 128 threads and
// tiles of 64 rows; rows of a head, of 16-bit elements, lie in shared memory.
func perTensorTile(o *operands, kernel string, n, rows, numbers int, params ...any) Launch {
	l := perTile(o, kernel, n, 0, 0, 0, params...)
	widest := widestHead(o.attr.HeadDim)
	l.Grid[0], l.Block[0] = blocks(o.attr.SeqLen, 64), 128
	l.Shared = uint32(rows*(widest+8)*2 + 4*numbers)
	return l
}

// tensorHeads reports whether the heads are for the tensor cores: where onTensor
// says so, 16-bit storage and at most 128 wide. With tf32 attention stays on the
// f32 cores.
func tensorHeads(o *operands) bool {
	d := o.dtype("qkv")
	return d != "f32" && o.onTensor(d, o.attr.HeadDim) && o.attr.HeadDim <= 128
}

func attention(o *operands) []Launch {
	params := []any{o.addr("att"), o.addr("lse"), o.addr("qkv")}
	if tensorHeads(o) {
		return []Launch{perTensorTile(o, "attention_mma", o.attr.Heads, 3*64, 0, params...)}
	}
	return []Launch{perTile(o, "attention", o.attr.Heads, 2, 1, 0, params...)}
}

func attentionGrad(o *operands) []Launch {
	params := []any{o.addr("dqkv"), o.addr("datt"), o.addr("qkv"), o.addr("att"), o.addr("lse")}
	if tensorHeads(o) {
		ahead := 2 // tiles of keys and values, one of them on its way
		if o.attr.HeadDim > 64 {
			ahead = 1
		}
		return []Launch{
			perTensorTile(o, "attention_dq_mma", o.attr.Heads, (2+2*ahead)*64, 0, params...),
			perTensorTile(o, "attention_dkv_mma", o.attr.KVHeads, 2*64+2*32, 3*32, params...),
		}
	}
	return []Launch{
		perTile(o, "attention_dq", o.attr.Heads, 4, 1, 0, params...),
		perTile(o, "attention_dkv", o.attr.KVHeads, 4, 2, 2, params...),
	}
}
