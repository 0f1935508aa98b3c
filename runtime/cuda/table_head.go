//go:build cuda

package cuda

// headChunk is the number of rows whose logits fit the scratch space: no bit
// depends on it. The op table gives room for one row at least.
func headChunk(o *operands, R, V int) int {
	return max(1, min(R, int(o.workBytes()/4/int64(V))))
}

func headLoss(o *operands) []Launch     { return head(o, false) }
func headLossGrad(o *operands) []Launch { return head(o, true) }

// head launches the classifier chunk by chunk: logits, losses, and with grad the
// gradients of x and of w.
func head(o *operands, grad bool) (list []Launch) {
	R, C, V, d := o.dim("x", 0), o.dim("x", 1), o.dim("w", 0), o.dtype("x")
	size, chunk, logits := bytesOf(d), headChunk(o, R, V), o.work()
	var ctl uint64
	if grad {
		ctl = o.addr("ctl")
	}
	for r := 0; r < R; r += chunk {
		n := min(chunk, R-r)
		row := func(name string, bytes int) uint64 { return o.addr(name) + uint64(r*bytes) }
		x := row("x", C*size)
		losses := along("head_loss_f32", 256*n, 256, row("loss", 4), logits, row("targets", 4), row("weight", 4), ctl, V, grad)
		losses.Shared = 2 * 8 * 4
		list = append(list, headProduct(d, logits, x, o.addr("w"), n, C, V), losses)
		if grad {
			list = append(list,
				tiled("head_dx_"+d, headTile, n, C, row("dx", C*size), logits, o.addr("w"), n, C, V),
				tiled("head_dw_"+d, headTile, V, C, o.addr("gw"), logits, x, ctl, n, C, V, r == 0))
		}
	}
	return list
}

// headProduct launches the logits of n rows: on the tensor cores under the rule of product.
func headProduct(dtype string, logits, x, w uint64, n, C, V int) Launch {
	if dtype != "f32" && C%8 == 0 {
		return onTensorCores("head_logits_mma_"+dtype, n, V, logits, x, w, n, C, V)
	}
	return tiled("head_logits_"+dtype, headTile, n, V, logits, x, w, n, C, V)
}

// headTile is the tile of the products of the head.
const headTile = 64

// bytesOf is the size of an element of a storage type.
func bytesOf(dtype string) int {
	if dtype == "f32" {
		return 4
	}
	return 2
}

func headLogits(o *operands) []Launch {
	B, C, V := o.dim("last", 0), o.dim("x", 1), o.dim("w", 0)
	return []Launch{byWarp("head_last_"+o.dtype("x"), B*V, o.addr("logits"), o.addr("x"), o.addr("w"), o.addr("last"), B, o.seq(), C, V)}
}
