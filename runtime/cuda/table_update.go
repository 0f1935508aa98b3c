//go:build cuda

package cuda

// norm2Blocks is the greatest number of partial sums that norm2 has room for.
const norm2Blocks = 2048

// norm2 sums chunks of at least 65,536 elements, then the chunks in order.
func norm2(o *operands) []Launch {
	n := o.elems("g")
	chunk := max(65536, (n+norm2Blocks-1)/norm2Blocks)
	count := int(blocks(n, chunk))
	partial := along("norm2", 256*count, 256, o.addr("g"), n, chunk)
	partial.Shared = 256 * 8
	return []Launch{partial, along("norm2_total", 1, 1, o.addr("norms"), o.attr.Index, count)}
}

func clip(o *operands) []Launch {
	return []Launch{along("clip", 1, 1, o.addr("norms"), o.addr("ctl"), o.elems("norms"), o.attr.MaxNorm)}
}

func adamW(o *operands) []Launch {
	n, a := o.elems("w"), o.attr
	return []Launch{along("adamw", (n+3)/4, 256, o.addr("w"), o.addr("g"), o.addr("m"), o.addr("v"), o.addr("ctl"),
		n, a.Beta1, a.Beta2, a.Eps, a.Decay, a.LRScale)}
}

func sgd(o *operands) []Launch         { return sgdWith(o, 0) }
func sgdMomentum(o *operands) []Launch { return sgdWith(o, o.addr("m")) }

func sgdWith(o *operands, m uint64) []Launch {
	n, a := o.elems("w"), o.attr
	return []Launch{along("sgd", (n+3)/4, 256, o.addr("w"), o.addr("g"), m, o.addr("ctl"), n, a.Decay, a.LRScale, a.Momentum, a.Nesterov)}
}
