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

// attentionTile is the number of queries and of keys of a tile.
const attentionTile = 32

// perTile launches a kernel of attention: a block of 256 threads for each tile of
// a sequence and each of n heads, with some tiles of rows of a head and some of
// scores in shared memory.
func perTile(o *operands, kernel string, n, rowTiles, scoreTiles, floats int, params ...any) Launch {
	a := o.attr
	widest := 64
	for widest < a.HeadDim {
		widest *= 2
	}
	stride := (a.HeadDim+3)/4*4 + 4
	return Launch{
		Kernel: fmt.Sprintf("%s_%d_%s", kernel, widest, o.dtype("qkv")),
		Grid:   [3]uint32{blocks(a.SeqLen, attentionTile), uint32(n), uint32(o.dim("qkv", 0) / a.SeqLen)},
		Block:  [3]uint32{256, 1, 1},
		Shared: uint32(4 * (rowTiles*attentionTile*stride + scoreTiles*attentionTile*(attentionTile+1) + floats)),
		Params: slots(append(params, o.addr("lo"), a.SeqLen, a.Heads, a.KVHeads, a.HeadDim, a.Scale)...),
	}
}

func attention(o *operands) []Launch {
	return []Launch{perTile(o, "attention", o.attr.Heads, 2, 1, 0, o.addr("att"), o.addr("lse"), o.addr("qkv"))}
}

func attentionGrad(o *operands) []Launch {
	params := []any{o.addr("dqkv"), o.addr("datt"), o.addr("qkv"), o.addr("att"), o.addr("lse")}
	return []Launch{
		perTile(o, "attention_dq", o.attr.Heads, 4, 1, 0, params...),
		perTile(o, "attention_dkv", o.attr.KVHeads, 4, 2, 2*attentionTile, params...),
	}
}
