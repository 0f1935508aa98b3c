package cpu

import (
	kernel "github.com/gradcue/gradcue/kernels/cpu"
)

func embed(o *operands, p kernel.Par) func() {
	x, table, pos, ids, positions := o.M("x"), o.M("table"), o.M("pos"), o.I("ids"), o.I("positions")
	R, T, C := o.Dim("ids", 0), o.Seq(), o.Dim("table", 1)
	return func() { kernel.EmbedOf(p, x, table, pos, ids, positions, R, T, C) }
}

func embedGrad(o *operands, p kernel.Par) func() {
	g, dx, ids, ctl := o.F("gtable"), o.F("dx"), o.I("ids"), o.Ctl()
	R, V, C := o.Dim("dx", 0), o.Dim("gtable", 0), o.Dim("dx", 1)
	return func() { kernel.EmbedGrad(p, g, dx, ids, R, V, C, ctl.Accumulate()) }
}

func embedRows(o *operands, p kernel.Par) func() {
	compact, dx, row, ctl := o.F("compact"), o.F("dx"), o.I("row"), o.Ctl()
	R, C, rows := o.Dim("dx", 0), o.Dim("dx", 1), o.Dim("compact", 0)
	return func() { kernel.EmbedRows(p, compact, dx, row, R, C, rows, ctl.Accumulate()) }
}

func embedAdd(o *operands, p kernel.Par) func() {
	g, compact, ids := o.F("gtable"), o.F("compact"), o.I("rowids")
	n, C := o.Dim("compact", 0), o.Dim("compact", 1)
	return func() { kernel.EmbedAdd(p, g, compact, ids, n, C) }
}

func posGrad(o *operands, p kernel.Par) func() {
	g, dx, positions, ctl := o.F("gpos"), o.F("dx"), o.I("positions"), o.Ctl()
	R, T, C, rows := o.Dim("dx", 0), o.Seq(), o.Dim("dx", 1), o.Dim("gpos", 0)
	return func() { kernel.PosGrad(p, g, dx, positions, R, T, C, rows, ctl.Accumulate()) }
}
