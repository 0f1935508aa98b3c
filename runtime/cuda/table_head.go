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
// gradients of x and of w. Products are on the tensor cores where onTensor says
// so; with bf16dot the gradient of the logits is rounded to bf16. There, sums that go on from chunk to chunk depend on
// the length of a chunk, which the plan fixes.
func head(o *operands, grad bool) (list []Launch) {
	R, C, V, d := o.dim("x", 0), o.dim("x", 1), o.dim("w", 0), o.dtype("x")
	length, chunk := headRows(o, R, V)
	size, logits, w := bytesOf(d), o.work(), o.addr("w")
	tensor := o.onTensor(d, C) && length%8 == 0
	var ctl uint64
	then := logitsStay
	if grad {
		ctl, then = o.addr("ctl"), logitsGradient
		if tensor && d == "bf16" {
			then = logitsGradientBF16
		}
	}
	for r := 0; r < R; r += chunk {
		n := min(chunk, R-r)
		row := func(name string, bytes int) uint64 { return o.addr(name) + uint64(r*bytes) }
		x := row("x", C*size)
		at := headChunk{n, C, V, length, logits, x, w, 0, 0}
		product := headProduct("logits", d, tensor, n, V, logits, x, w, n, C, V, length)
		if tensor {
			product = o.logitsOf(product, at)
		}
		list = append(list, product)
		losses := along("head_loss_f32", 256*n, 256, row("loss", 4), logits, row("targets", 4), row("weight", 4), ctl, V, length, then)
		losses.Shared = 2 * 8 * 4
		list = append(list, losses)
		if grad {
			at.dx, at.gw = row("dx", C*size), o.addr("gw")
			dx := headProduct("dx", d, tensor, n, C, at.dx, logits, w, n, C, V, length)
			dw := headProduct("dw", d, tensor, V, C, at.gw, logits, x, ctl, n, C, V, length, r == 0)
			if tensor {
				dx, dw = o.headDX(dx, at), o.headDW(dw, at, r == 0)
			}
			list = append(list, dx, dw)
		}
	}
	return list
}

// What the kernel of the losses does with the logits: they stay, or their gradient
// takes their place, in f32 or in bf16.
const (
	logitsStay = iota
	logitsGradient
	logitsGradientBF16
)

// headProduct launches one product of the head on the tensor cores or not.
func headProduct(name, dtype string, tensor bool, M, N int, params ...any) Launch {
	if tensor {
		return onTensorCores("head_"+name+"_mma_"+dtype, headTensorTile, M, N, params...)
	}
	return tiled("head_"+name+"_"+dtype, headTile, M, N, params...)
}

// The tiles of the products of the head, on f32 cores and on tensor cores.
const (
	headTile       = 64
	headTensorTile = 128
)

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
