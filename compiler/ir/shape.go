package ir

// The shape rules of the op table. Each records the first mismatch through
// want, rank or fail and returns the result types it would have had.

var control = Of(F64, ControlLen)

func (s *shapes) ctl() { s.want("ctl", F64, ControlLen) }

// same wants the named argument to have exactly the given type.
func (s *shapes) same(name string, t Type) { s.want(name, t.DType, t.Shape...) }

// sameAs makes the rule of one result of the type that all named arguments have.
func sameAs(first string, others ...string) func(*shapes) []Type {
	return func(s *shapes) []Type {
		t := s.arg(first)
		for _, o := range others {
			s.same(o, t)
		}
		return []Type{t}
	}
}

// stored is the element type of an argument that is an activation, a gradient of
// one, or a parameter: f32 or a 16-bit type. All such operands of an op share it;
// statistics, losses and gradients of parameters are f32.
func (s *shapes) stored(name string) DType {
	d := s.arg(name).DType
	if !d.Float() {
		s.fail(!s.has(name), "argument %s is %v, want f32, bf16 or f16", name, s.arg(name))
		return F32
	}
	return d
}

// floats is sameAs for arithmetic: the first argument is of a storage type.
func floats(first string, others ...string) func(*shapes) []Type {
	same := sameAs(first, others...)
	return func(s *shapes) []Type {
		s.stored(first)
		return same(s)
	}
}

func embedShape(s *shapes) []Type {
	d := s.stored("table")
	s.rank("table", d, 2)
	s.rank("ids", I32, 1)
	r, c := s.dim("ids", 0), s.dim("table", 1)
	s.want("positions", I32, r)
	if s.has("pos") {
		s.rank("pos", d, 2)
		s.want("pos", d, s.dim("pos", 0), c)
		s.sequences(r)
		s.fail(s.attr.SeqLen <= s.dim("pos", 0), "seqLen %d is longer than the %d learned positions", s.attr.SeqLen, s.dim("pos", 0))
	}
	return []Type{Of(d, r, c)}
}

// sequences wants r rows to be whole sequences of seqLen.
func (s *shapes) sequences(r int) {
	t := s.attr.SeqLen
	s.fail(t >= 1 && r%max(t, 1) == 0, "%d rows are not whole sequences of %d", r, t)
}

func embedGradShape(s *shapes) []Type {
	s.rank("dx", s.stored("dx"), 2)
	s.want("ids", I32, s.dim("dx", 0))
	s.want("gtable", F32, s.dim("gtable", 0), s.dim("dx", 1))
	s.ctl()
	return []Type{s.arg("gtable")}
}

func embedRowsShape(s *shapes) []Type {
	s.rank("dx", s.stored("dx"), 2)
	s.want("row", I32, s.dim("dx", 0))
	s.want("compact", F32, s.dim("compact", 0), s.dim("dx", 1))
	s.ctl()
	return []Type{s.arg("compact")}
}

func embedAddShape(s *shapes) []Type {
	s.rank("compact", F32, 2)
	s.want("rowids", I32, s.dim("compact", 0))
	s.want("gtable", F32, s.dim("gtable", 0), s.dim("compact", 1))
	return []Type{s.arg("gtable")}
}

func posGradShape(s *shapes) []Type {
	s.rank("dx", s.stored("dx"), 2)
	r := s.dim("dx", 0)
	s.want("positions", I32, r)
	s.want("gpos", F32, s.dim("gpos", 0), s.dim("dx", 1))
	s.sequences(r)
	s.fail(s.attr.SeqLen <= s.dim("gpos", 0), "seqLen %d is longer than the %d learned positions", s.attr.SeqLen, s.dim("gpos", 0))
	s.ctl()
	return []Type{s.arg("gpos")}
}

func (s *shapes) rowsOf(name string) (r, c int) {
	s.rank(name, s.stored(name), 2)
	return s.dim(name, 0), s.dim(name, 1)
}

func layerNormShape(s *shapes) []Type {
	r, c := s.rowsOf("x")
	s.want("w", s.stored("x"), c)
	s.want("b", s.stored("x"), c)
	s.fail(s.attr.Eps > 0, "eps must be positive")
	return []Type{s.arg("x"), Of(F32, r), Of(F32, r)}
}

func layerNormApplyShape(s *shapes) []Type {
	r, c := s.rowsOf("x")
	s.want("mean", F32, r)
	s.want("rstd", F32, r)
	s.want("w", s.stored("x"), c)
	s.want("b", s.stored("x"), c)
	return []Type{s.arg("x")}
}

func layerNormGradShape(s *shapes) []Type {
	r, c := s.rowsOf("x")
	s.same("dy", s.arg("x"))
	s.want("mean", F32, r)
	s.want("rstd", F32, r)
	s.want("w", s.stored("x"), c)
	s.want("gw", F32, c)
	s.want("gb", F32, c)
	s.ctl()
	return []Type{s.arg("x"), s.arg("gw"), s.arg("gb")}
}

func rmsNormShape(s *shapes) []Type {
	r, c := s.rowsOf("x")
	s.want("w", s.stored("x"), c)
	s.fail(s.attr.Eps > 0, "eps must be positive")
	return []Type{s.arg("x"), Of(F32, r)}
}

func rmsNormApplyShape(s *shapes) []Type {
	r, c := s.rowsOf("x")
	s.want("rstd", F32, r)
	s.want("w", s.stored("x"), c)
	return []Type{s.arg("x")}
}

func rmsNormGradShape(s *shapes) []Type {
	r, c := s.rowsOf("x")
	s.same("dy", s.arg("x"))
	s.want("rstd", F32, r)
	s.want("w", s.stored("x"), c)
	s.want("gw", F32, c)
	s.ctl()
	return []Type{s.arg("x"), s.arg("gw")}
}

func linearShape(s *shapes) []Type {
	r, k := s.rowsOf("x")
	d := s.stored("x")
	s.rank("w", d, 2)
	n := s.dim("w", 0)
	s.want("w", d, n, k)
	s.want("b", d, n)
	return []Type{Of(d, r, n)}
}

func linearGELUShape(s *shapes) []Type {
	y := linearShape(s)[0]
	return []Type{y, y}
}

func linearAddShape(s *shapes) []Type {
	y := linearShape(s)[0]
	s.want("r", y.DType, y.Shape...)
	return []Type{y}
}

func linearDXShape(s *shapes) []Type {
	r, n := s.rowsOf("dy")
	d := s.stored("dy")
	s.rank("w", d, 2)
	k := s.dim("w", 1)
	s.want("w", d, n, k)
	return []Type{Of(d, r, k)}
}

func linearDWShape(s *shapes) []Type {
	r, n := s.rowsOf("dy")
	d := s.stored("dy")
	s.rank("x", d, 2)
	k := s.dim("x", 1)
	s.want("x", d, r, k)
	s.want("gw", F32, n, k)
	s.ctl()
	return []Type{s.arg("gw")}
}

func linearDBShape(s *shapes) []Type {
	_, n := s.rowsOf("dy")
	s.want("gb", F32, n)
	s.ctl()
	return []Type{s.arg("gb")}
}

func swiGLUShape(s *shapes) []Type {
	r, w := s.rowsOf("gu")
	s.fail(w%2 == 0, "a row of gu has %d elements, not two equal halves", w)
	return []Type{Of(s.stored("gu"), r, w/2)}
}

func swiGLUGradShape(s *shapes) []Type {
	h := swiGLUShape(s)[0]
	s.same("dh", h)
	return []Type{s.arg("gu")}
}

// packed wants the named argument to hold rows of q, k and v.
func (s *shapes) packed(name string) (r int) {
	r, w := s.rowsOf(name)
	a := s.attr
	s.fail(a.Heads >= 1 && a.KVHeads >= 1 && a.HeadDim >= 1 && a.Heads%max(a.KVHeads, 1) == 0,
		"%d heads over %d key/value heads of width %d do not fit", a.Heads, a.KVHeads, a.HeadDim)
	s.fail(w == (a.Heads+2*a.KVHeads)*a.HeadDim, "a row of %s has %d elements, want (%d+2·%d)·%d", name, w, a.Heads, a.KVHeads, a.HeadDim)
	s.sequences(r)
	return r
}

func ropeShape(s *shapes) []Type {
	r := s.packed("x")
	s.want("positions", I32, r)
	s.fail(s.attr.HeadDim%2 == 0, "rope needs an even head width, not %d", s.attr.HeadDim)
	s.fail(s.attr.Base > 0, "rope needs a positive base")
	return []Type{s.arg("x")}
}

func attentionShape(s *shapes) []Type {
	r := s.packed("qkv")
	s.want("lo", I32, r)
	s.fail(s.attr.Scale > 0, "attention needs a positive scale")
	return []Type{Of(s.stored("qkv"), r, s.attr.Heads*s.attr.HeadDim), Of(F32, r, s.attr.Heads)}
}

func attentionGradShape(s *shapes) []Type {
	ts := attentionShape(s)
	s.same("att", ts[0])
	s.same("datt", ts[0])
	s.same("lse", ts[1])
	return []Type{s.arg("qkv")}
}

func dropoutShape(s *shapes) []Type {
	r, _ := s.rowsOf("x")
	s.ctl()
	s.sequences(r)
	s.fail(s.attr.Rate >= 0 && s.attr.Rate < 1, "dropout rate %g is not in [0,1)", s.attr.Rate)
	return []Type{s.arg("x")}
}

func headLossShape(s *shapes) []Type {
	r, c := s.rowsOf("x")
	d := s.stored("x")
	s.rank("w", d, 2)
	s.want("w", d, s.dim("w", 0), c)
	s.want("targets", I32, r)
	s.want("weight", F32, r)
	return []Type{Of(F32, r)}
}

func headLossGradShape(s *shapes) []Type {
	loss := headLossShape(s)[0]
	s.want("gw", F32, s.dim("w", 0), s.dim("w", 1))
	s.ctl()
	return []Type{loss, s.arg("x"), s.arg("gw")}
}

func headLogitsShape(s *shapes) []Type {
	r, c := s.rowsOf("x")
	d := s.stored("x")
	s.rank("w", d, 2)
	s.want("w", d, s.dim("w", 0), c)
	s.rank("last", I32, 1)
	s.sequences(r)
	s.fail(s.attr.SeqLen > 0 && s.dim("last", 0) == r/max(s.attr.SeqLen, 1), "last has %d entries, want one per sequence", s.dim("last", 0))
	return []Type{Of(F32, s.dim("last", 0), s.dim("w", 0))}
}

func norm2Shape(s *shapes) []Type {
	s.rank("norms", F64, 1)
	s.fail(s.arg("g").DType == F32, "argument g is %v, want f32", s.arg("g"))
	s.fail(s.attr.Index >= 0 && s.attr.Index < s.dim("norms", 0), "index %d is outside norms[%d]", s.attr.Index, s.dim("norms", 0))
	return []Type{s.arg("norms")}
}

func clipShape(s *shapes) []Type {
	s.rank("norms", F64, 1)
	s.ctl()
	s.fail(s.attr.MaxNorm >= 0, "maxNorm must not be negative")
	return []Type{control}
}

func (s *shapes) stepOf(names ...string) []Type {
	w := s.arg("w")
	s.fail(w.DType == F32, "argument w is %v, want f32", w)
	ts := []Type{w}
	s.same("g", w)
	for _, n := range names {
		s.same(n, w)
		ts = append(ts, w)
	}
	s.ctl()
	return ts
}

func adamWShape(s *shapes) []Type       { return s.stepOf("m", "v") }
func sgdShape(s *shapes) []Type         { return s.stepOf() }
func sgdMomentumShape(s *shapes) []Type { return s.stepOf("m") }

func copyOutShape(s *shapes) []Type {
	s.same("host", s.arg("x"))
	return []Type{s.arg("host")}
}

// castShape: a master in f32 rounded into the parameter that products read.
func castShape(s *shapes) []Type {
	x := s.arg("x")
	s.fail(x.DType == F32, "argument x is %v, want f32", x)
	s.want("w", s.stored("w"), x.Shape...)
	return []Type{s.arg("w")}
}
