//go:build cuda

package cuda

// headRows lays the logits over the scratch space: the length of a row, which is
// V and some zeros so that rows begin at multiples of 16 bytes, and the number of
// rows at a time. No bit depends on the number. The op table gives room for at
// least one row of V.
func headRows(o *operands, R, V int) (length, rows int) {
	room := int(o.workBytes() / 4)
	if length = (V + 7) / 8 * 8; length > room {
		length = V
	}
	return length, max(1, min(R, room/length))
}

func headLoss(o *operands) []Launch     { return head(o, false) }
func headLossGrad(o *operands) []Launch { return head(o, true) }

// head launches the classifier chunk by chunk: logits, losses, and with grad the
// gradients of x and of w. Products are on the tensor cores under the rule of
// product; see head_mma.cu for f16.
func head(o *operands, grad bool) (list []Launch) {
	R, C, V, d := o.dim("x", 0), o.dim("x", 1), o.dim("w", 0), o.dtype("x")
	length, chunk := headRows(o, R, V)
	size, logits, w := bytesOf(d), o.work(), o.addr("w")
	var ctl uint64
	if grad {
		ctl = o.addr("ctl")
	}
	tensor := C%8 == 0 && length%8 == 0
	for r := 0; r < R; r += chunk {
		n := min(chunk, R-r)
		row := func(name string, bytes int) uint64 { return o.addr(name) + uint64(r*bytes) }
		x := row("x", C*size)
		list = append(list, headProduct("logits", d, tensor && d != "f32", 1, n, V, logits, x, w, n, C, V, length))
		losses := along("head_loss_f32", 256*n, 256, row("loss", 4), logits, row("targets", 4), row("weight", 4), ctl, V, length, grad)
		losses.Shared = 2 * 8 * 4
		list = append(list, losses)
		if grad {
			list = append(list,
				headProduct("dx", d, tensor && d == "bf16", 2, n, C, row("dx", C*size), logits, w, n, C, V, length),
				headProduct("dw", d, tensor && d == "bf16", 2, V, C, o.addr("gw"), logits, x, ctl, n, C, V, length, r == 0))
		}
	}
	return list
}

// headProduct launches one product of the head on the tensor cores or not; halves
// is the number of 16-bit halves in an element of its left operand.
func headProduct(name, dtype string, tensor bool, halves, M, N int, params ...any) Launch {
	if tensor {
		return onTensorCores("head_"+name+"_mma_"+dtype, halves, M, N, params...)
	}
	return tiled("head_"+name+"_"+dtype, headTile, M, N, params...)
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
