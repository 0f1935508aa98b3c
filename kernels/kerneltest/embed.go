package kerneltest

import (
	"fmt"

	"github.com/gradcue/gradcue/kernels/cpu"
	"github.com/gradcue/gradcue/kernels/ref"
)

func embedCases() []Case {
	var cases []Case
	for _, s := range [][4]int{{1, 1, 1, 1}, {2, 9, 33, 7}, {3, 50, 96, 20}} {
		B, T, C, V := s[0], s[1], s[2], s[3]
		R := B * T
		table, pos, dx := random(V*C, 1, 1), random(2*T*C, 2, 1), random(R*C, 3, 1)
		tokens, positions := randomIDs(R, V, 4), randomIDs(R, 2*T, 5)
		rows := randomIDs(R, V+1, 6)
		for i := range rows {
			rows[i]-- // -1 is padding
		}
		name := fmt.Sprintf("/%dx%dx%d,%d", B, T, C, V)
		for _, at := range []ids{nil, positions} {
			for _, learned := range []f32{nil, pos} {
				cases = append(cases, Case{
					Name: fmt.Sprintf("Embed%s/positions=%t/learned=%t", name, at != nil, learned != nil),
					run: func(k Kernels, p cpu.Par) []f32 {
						x := unwritten(R * C)
						k.Embed(p, x, table, learned, tokens, at, R, T, C)
						return []f32{x}
					},
					want: func() []f64 {
						x := make(f64, R*C)
						ref.Embed(x, wide(table), wide(learned), tokens, at, R, T, C)
						return []f64{x}
					},
				})
			}
		}
		for _, acc := range []bool{false, true} {
			cases = append(cases, Case{
				Name: fmt.Sprintf("EmbedGrad,Rows,PosGrad%s/acc=%t", name, acc),
				run: func(k Kernels, p cpu.Par) []f32 {
					g, compact, dpos := target(table, acc), target(table, acc), target(pos, acc)
					k.EmbedGrad(p, g, dx, tokens, R, V, C, acc)
					k.EmbedRows(p, compact, dx, rows, R, C, V, acc)
					k.PosGrad(p, dpos, dx, positions, R, T, C, 2*T, acc)
					return []f32{g, compact, dpos}
				},
				want: func() []f64 {
					g, compact, dpos := start(table, acc), start(table, acc), start(pos, acc)
					ref.EmbedGrad(g, wide(dx), tokens, R, V, C, acc)
					ref.EmbedRows(compact, wide(dx), rows, R, C, V, acc)
					ref.PosGrad(dpos, wide(dx), positions, R, T, C, 2*T, acc)
					return []f64{g, compact, dpos}
				},
			})
		}
		cases = append(cases, embedAddCase(name, table, V, C), dropoutCase(name, dx, B, T, C))
	}
	return cases
}

// embedAddCase adds the rows of a compact buffer, in reverse order and ended by -1.
func embedAddCase(name string, table f32, V, C int) Case {
	compact := random(V*C, 7, 1)
	list := make(ids, V+1)
	for j := range V {
		list[j] = int32(V - 1 - j)
	}
	list[V-V/3] = -1
	return Case{
		Name: "EmbedAdd" + name,
		run: func(k Kernels, p cpu.Par) []f32 {
			g := clone(table)
			k.EmbedAdd(p, g, compact, list, V, C)
			return []f32{g}
		},
		want: func() []f64 {
			g := wide(table)
			ref.EmbedAdd(g, wide(compact), list, V, C)
			return []f64{g}
		},
	}
}

func dropoutCase(name string, x f32, B, T, C int) Case {
	return Case{
		Name:  "Dropout" + name,
		exact: []int{0, 1},
		run: func(k Kernels, p cpu.Par) []f32 {
			y, again := unwritten(len(x)), clone(x)
			k.Dropout(p, y, x, 0.3, 1<<40+7, 12, 65, 3, B, T, C)
			k.Dropout(p, again, again, 0.3, 1<<40+7, 12, 65, 3, B, T, C)
			return []f32{y, again}
		},
		want: func() []f64 {
			y := make(f64, len(x))
			ref.Dropout(y, wide(x), 0.3, 1<<40+7, 12, 65, 3, B, T, C)
			return []f64{y, y}
		},
	}
}
