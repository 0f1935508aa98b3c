//go:build cuda

package cuda

func embed(o *operands) []Launch {
	R, C := o.dim("ids", 0), o.dim("table", 1)
	return []Launch{along("embed_"+o.dtype("table"), R*((C+3)/4), 256, o.addr("x"), o.addr("table"), o.addr("pos"), o.addr("ids"), o.addr("positions"),
		R, o.seq(), C)}
}

func embedGrad(o *operands) []Launch { return scatter(o, "gtable", "dx", "ids", o.addr("ctl"), false) }
func embedRows(o *operands) []Launch { return scatter(o, "compact", "dx", "row", o.addr("ctl"), false) }
func posGrad(o *operands) []Launch {
	return scatter(o, "gpos", "dx", "positions", o.addr("ctl"), false)
}
func embedAdd(o *operands) []Launch { return scatter(o, "gtable", "compact", "rowids", 0, true) }

// scatter adds rows to the rows of sum that key names; a block has one row of sum
// and 1024 columns. Where ends is set the first negative key ends the list.
func scatter(o *operands, sum, rows, key string, ctl uint64, ends bool) []Launch {
	R, C := o.dim(rows, 0), o.dim(rows, 1)
	return []Launch{{Kernel: "scatter_" + o.dtype(rows), Grid: [3]uint32{uint32(o.dim(sum, 0)), blocks(C, 1024), 1}, Block: [3]uint32{128, 1, 1},
		Params: slots(o.addr(sum), o.addr(rows), o.addr(key), ctl, R, o.seq(), C, ends)}}
}
