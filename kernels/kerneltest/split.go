package kerneltest

import "github.com/gradcue/gradcue/kernels/cpu"

// rowOp is a kernel that accumulates over rows. run processes the listed rows of its inputs, in order, as one call; row -1
// is padding: gradient or weight 0, anything else arbitrary. size are the sizes of the outputs.
type rowOp struct {
	name string
	R    int
	size []int
	run  func(k Kernels, rows []int, acc bool, out []f32)
}

// splitEqualities say that every plan of calls gives the bits of one call over all rows.
func splitEqualities() []Same {
	var all []Same
	for _, op := range append(productOps(), append(scatterOps(), headOp())...) {
		for _, p := range callPlans(op.R) {
			all = append(all, Same{
				Name: "Rows/" + op.name + "/" + p.name,
				got:  func(k Kernels) []f32 { return op.calls(k, p.calls) },
				want: func(k Kernels) []f32 { return op.calls(k, [][]int{span(0, op.R)}) },
			})
		}
	}
	return all
}

// calls runs the op once a list of rows: the first stores, the others accumulate.
func (op rowOp) calls(k Kernels, lists [][]int) []f32 {
	out := make([]f32, len(op.size))
	for i, n := range op.size {
		out[i] = unwritten(n)
	}
	for i, rows := range lists {
		op.run(k, rows, i > 0, out)
	}
	return out
}

// callPlan is a way to go over the rows in several calls.
type callPlan struct {
	name  string
	calls [][]int
}

// callPlans are splits at odd places, an empty call, and padding between, before and after the rows.
func callPlans(R int) []callPlan {
	return []callPlan{
		{"first alone", [][]int{span(0, 1), span(1, R)}},
		{"halves", [][]int{span(0, R/2), span(R/2, R)}},
		{"with an empty call", [][]int{span(0, 17), nil, span(17, R-1), span(R-1, R)}},
		{"padding between", [][]int{padded(span(0, R))}},
		{"padding and splits", [][]int{{-1, -1, -1}, padded(span(0, 40)), padded(span(40, R)), {-1}}},
	}
}

// span lists the rows [lo,hi).
func span(lo, hi int) []int {
	rows := make([]int, 0, hi-lo)
	for r := lo; r < hi; r++ {
		rows = append(rows, r)
	}
	return rows
}

// padded puts padding after every third row, and a long run of it once.
func padded(rows []int) []int {
	var out []int
	for i, r := range rows {
		out = append(out, r)
		if i%3 == 0 {
			out = append(out, -1)
		}
		if i == 20 {
			out = append(out, padding(150)...)
		}
	}
	return out
}

func padding(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = -1
	}
	return rows
}

// gather collects rows of width C of x; padding rows hold pad.
func gather(x f32, rows []int, C int, pad float32) f32 {
	out := make(f32, 0, len(rows)*C)
	for _, r := range rows {
		if r >= 0 {
			out = append(out, x[r*C:(r+1)*C]...)
			continue
		}
		for range C {
			out = append(out, pad)
		}
	}
	return out
}

// gatherIDs is gather for one id a row.
func gatherIDs(x ids, rows []int, pad int32) ids {
	out := make(ids, 0, len(rows))
	for _, r := range rows {
		if r >= 0 {
			out = append(out, x[r])
		} else {
			out = append(out, pad)
		}
	}
	return out
}

// productOps are the chains of the linear layers and norms. Padding has a negative x, so that its products are -0.
func productOps() []rowOp {
	const R, K, N = 301, 35, 40
	x, dy := random(R*K, 1, 1), random(R*N, 2, 1)
	mean, rstd, w, up := random(R, 3, 1), random(R, 4, 1), random(K, 5, 1), random(R*K, 6, 1)
	return []rowOp{
		{"LinearDW,DB", R, []int{N * K, N}, func(k Kernels, rows []int, acc bool, out []f32) {
			d := gather(dy, rows, N, 0)
			k.LinearDW(cpu.Serial{}, out[0], d, gather(x, rows, K, -0.7), len(rows), K, N, acc)
			k.LinearDB(cpu.Serial{}, out[1], d, len(rows), N, acc)
		}},
		{"LayerNormGrad", R, []int{K, K, R * K}, func(k Kernels, rows []int, acc bool, out []f32) {
			dx := unwritten(len(rows) * K)
			k.LayerNormGrad(cpu.Serial{}, dx, out[0], out[1], gather(up, rows, K, 0), gather(x, rows, K, -0.7), w,
				gather(mean, rows, 1, 0.1), gather(rstd, rows, 1, 2), len(rows), K, acc)
			spread(out[2], dx, rows, K)
		}},
		{"RMSNormGrad", R, []int{K, R * K}, func(k Kernels, rows []int, acc bool, out []f32) {
			dx := unwritten(len(rows) * K)
			k.RMSNormGrad(cpu.Serial{}, dx, out[0], gather(up, rows, K, 0), gather(x, rows, K, -0.7), w,
				gather(rstd, rows, 1, 2), len(rows), K, acc)
			spread(out[1], dx, rows, K)
		}},
	}
}

// spread puts rows of width C back where they came from; padding rows must be zero, else the output is spoilt.
func spread(out, rowsOf f32, rows []int, C int) {
	for i, r := range rows {
		src := rowsOf[i*C : (i+1)*C]
		if r >= 0 {
			copy(out[r*C:], src)
			continue
		}
		for _, v := range src {
			if v != 0 {
				copy(out, unwritten(1))
			}
		}
	}
}

// scatterOps are the gradients of tables.
func scatterOps() []rowOp {
	const R, C, V = 200, 33, 20
	dx, tokens := random(R*C, 1, 1), randomIDs(R, V, 2)
	scatter := func(name string, pad int32, dpad float32, run func(k Kernels, g, dx f32, at ids, R int, acc bool)) rowOp {
		return rowOp{name, R, []int{V * C}, func(k Kernels, rows []int, acc bool, out []f32) {
			run(k, out[0], gather(dx, rows, C, dpad), gatherIDs(tokens, rows, pad), len(rows), acc)
		}}
	}
	return []rowOp{
		scatter("EmbedGrad", 3, 0, func(k Kernels, g, dx f32, at ids, R int, acc bool) {
			k.EmbedGrad(cpu.Serial{}, g, dx, at, R, V, C, acc)
		}),
		scatter("EmbedRows", -1, 9, func(k Kernels, g, dx f32, at ids, R int, acc bool) {
			k.EmbedRows(cpu.Serial{}, g, dx, at, R, C, V, acc)
		}),
		scatter("EmbedRows/zeros", 3, 0, func(k Kernels, g, dx f32, at ids, R int, acc bool) {
			k.EmbedRows(cpu.Serial{}, g, dx, at, R, C, V, acc)
		}),
		scatter("PosGrad", 3, 0, func(k Kernels, g, dx f32, at ids, R int, acc bool) {
			k.PosGrad(cpu.Serial{}, g, dx, at, R, 7, C, V, acc)
		}),
	}
}

// headOp is the fused head; its losses and input gradients belong to rows, its classifier gradient is a chain.
func headOp() rowOp {
	const R, C, V = 290, 20, 37
	x, w, targets, weight := random(R*C, 1, 1), random(V*C, 2, 1), randomIDs(R, V, 3), weights("padded", R)
	return rowOp{"HeadLossGrad", R, []int{V * C, R * C, R}, func(k Kernels, rows []int, acc bool, out []f32) {
		n := len(rows)
		loss, dx := unwritten(n), unwritten(n*C)
		k.HeadLossGrad(cpu.Serial{}, workspace(k.HeadWorkspace(n, C, V, 1)), loss, dx, out[0], gather(x, rows, C, -0.7), w,
			gatherIDs(targets, rows, 1), gather(weight, rows, 1, 0), 0.125, n, C, V, acc)
		spread(out[1], dx, rows, C)
		spread(out[2], loss, rows, 1)
	}}
}
