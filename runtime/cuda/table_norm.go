//go:build cuda

package cuda

func layerNorm(o *operands) []Launch {
	R, C := o.dim("x", 0), o.dim("x", 1)
	return []Launch{byWarp("layernorm_"+o.dtype("x"), R, o.addr("y"), o.addr("mean"), o.addr("rstd"), o.addr("x"), o.addr("w"), o.addr("b"), R, C, o.attr.Eps)}
}

func layerNormApply(o *operands) []Launch {
	R, C := o.dim("x", 0), o.dim("x", 1)
	return []Launch{byWarp("layernorm_apply_"+o.dtype("x"), R, o.addr("y"), o.addr("x"), o.addr("mean"), o.addr("rstd"), o.addr("w"), o.addr("b"), R, C)}
}

func layerNormGrad(o *operands) []Launch {
	R, C, d := o.dim("x", 0), o.dim("x", 1), o.dtype("x")
	dy, x, mean, rstd := o.addr("dy"), o.addr("x"), o.addr("mean"), o.addr("rstd")
	return []Launch{
		byColumns("layernorm_params_"+d, C, 2, o.addr("gw"), o.addr("gb"), dy, x, mean, rstd, o.addr("ctl"), R, C),
		byWarp("layernorm_grad_"+d, R, o.addr("dx"), dy, x, o.addr("w"), mean, rstd, R, C),
	}
}

func rmsNorm(o *operands) []Launch {
	R, C := o.dim("x", 0), o.dim("x", 1)
	return []Launch{byWarp("rmsnorm_"+o.dtype("x"), R, o.addr("y"), o.addr("rstd"), o.addr("x"), o.addr("w"), R, C, o.attr.Eps)}
}

func rmsNormApply(o *operands) []Launch {
	R, C := o.dim("x", 0), o.dim("x", 1)
	return []Launch{byWarp("rmsnorm_apply_"+o.dtype("x"), R, o.addr("y"), o.addr("x"), o.addr("rstd"), o.addr("w"), R, C)}
}

func rmsNormGrad(o *operands) []Launch {
	R, C, d := o.dim("x", 0), o.dim("x", 1), o.dtype("x")
	dy, x, rstd := o.addr("dy"), o.addr("x"), o.addr("rstd")
	return []Launch{
		byColumns("rmsnorm_params_"+d, C, 1, o.addr("gw"), dy, x, rstd, o.addr("ctl"), R, C),
		byWarp("rmsnorm_grad_"+d, R, o.addr("dx"), dy, x, o.addr("w"), rstd, R, C),
	}
}
