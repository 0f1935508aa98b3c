package autodiff

import "github.com/gradcue/gradcue/compiler/ir"

// Rule is the vector–Jacobian product of one op.
type Rule struct {
	VJP   func(*sweep)
	Saves []string // arguments and results of the forward pass that it reads
	None  string   // why there is no rule
}

const (
	notForward = "it is itself part of the backward pass or the update"
	afterwards = "it is made after the sweep, from ops that have a rule"
)

// Rules is the table of vector–Jacobian products, one entry per op.
var Rules = [ir.NumOps]Rule{
	ir.OpLeaf:           {None: "storage has nothing upstream"},
	ir.OpEmbed:          {VJP: embed, Saves: []string{"ids", "positions"}},
	ir.OpEmbedGrad:      {None: notForward},
	ir.OpEmbedRows:      {None: notForward},
	ir.OpEmbedAdd:       {None: notForward},
	ir.OpPosGrad:        {None: notForward},
	ir.OpLayerNorm:      {VJP: layerNorm, Saves: []string{"x", "w", "mean", "rstd"}},
	ir.OpLayerNormApply: {None: afterwards},
	ir.OpLayerNormGrad:  {None: notForward},
	ir.OpRMSNorm:        {VJP: rmsNorm, Saves: []string{"x", "w", "rstd"}},
	ir.OpRMSNormApply:   {None: afterwards},
	ir.OpRMSNormGrad:    {None: notForward},
	ir.OpLinear:         {VJP: linear, Saves: []string{"x", "w"}},
	ir.OpLinearGELU:     {None: afterwards},
	ir.OpLinearAdd:      {None: afterwards},
	ir.OpLinearDX:       {None: notForward},
	ir.OpLinearDW:       {None: notForward},
	ir.OpLinearDB:       {None: notForward},
	ir.OpGELU:           {VJP: gelu, Saves: []string{"x"}},
	ir.OpGELUGrad:       {None: notForward},
	ir.OpSwiGLU:         {VJP: swiGLU, Saves: []string{"gu"}},
	ir.OpSwiGLUGrad:     {None: notForward},
	ir.OpRoPE:           {VJP: rope, Saves: []string{"positions"}},
	ir.OpAttention:      {VJP: attention, Saves: []string{"qkv", "att", "lse", "lo"}},
	ir.OpAttentionGrad:  {None: notForward},
	ir.OpAdd:            {VJP: add},
	ir.OpDropout:        {VJP: dropout},
	ir.OpHeadLoss:       {None: "Backward replaces it by head.loss.grad, which computes loss and gradient together"},
	ir.OpHeadLossGrad:   {None: notForward},
	ir.OpHeadLogits:     {None: "it is used for sampling only"},
	ir.OpNorm2:          {None: notForward},
	ir.OpClip:           {None: notForward},
	ir.OpAdamW:          {None: notForward},
	ir.OpSGD:            {None: notForward},
	ir.OpSGDMomentum:    {None: notForward},
	ir.OpCast:           {None: notForward},
	ir.OpCopyOut:        {None: afterwards},
	ir.OpCopyIn:         {None: afterwards},
	ir.OpCopyStage:      {None: afterwards},
}

// embed scatters into the table's gradient, directly or, when another op writes
// the same storage, into the compact buffer.
func embed(s *sweep) {
	dx := s.cot("x")
	if pos := s.arg("pos"); pos != ir.None {
		g, out := s.gradOf("pos")
		s.continued("pos", s.emit(ir.OpPosGrad, ir.Attr{SeqLen: s.n.Attr.SeqLen}, []ir.ID{dx, s.arg("positions"), s.o.Control, g}, out)[0])
	}
	if s.uses[s.arg("table")] == 1 {
		g, out := s.gradOf("table")
		s.continued("table", s.emit(ir.OpEmbedGrad, ir.Attr{}, []ir.ID{dx, s.arg("ids"), s.o.Control, g}, out)[0])
		return
	}
	width := s.g.Values[dx].Type.Shape[1]
	rows := s.g.Values[dx].Type.Shape[0]
	s.res.Table = s.param("table")
	s.res.Row = s.g.Leaf("row", -1, ir.Input, ir.Device, ir.Of(ir.I32, rows), "window")
	s.res.Compact = s.g.Leaf("embed.compact", -1, ir.Gradient, ir.Device, ir.Of(ir.F32, s.o.CompactRows, width), "model.tied")
	s.emit(ir.OpEmbedRows, ir.Attr{}, []ir.ID{dx, s.res.Row, s.o.Control, s.res.Compact}, ir.Result{Name: "embed.compact", Layer: -1, Class: ir.Gradient})
}

func layerNorm(s *sweep) {
	gw, wOut := s.gradOf("w")
	gb, bOut := s.gradOf("b")
	rs := s.emit(ir.OpLayerNormGrad, ir.Attr{}, []ir.ID{s.cot("y"), s.arg("x"), s.arg("w"), s.result("mean"), s.result("rstd"), s.o.Control, gw, gb}, s.d("x"), wOut, bOut)
	s.continued("w", rs[1])
	s.continued("b", rs[2])
	s.send("x", rs[0])
}

func rmsNorm(s *sweep) {
	gw, wOut := s.gradOf("w")
	rs := s.emit(ir.OpRMSNormGrad, ir.Attr{}, []ir.ID{s.cot("y"), s.arg("x"), s.arg("w"), s.result("rstd"), s.o.Control, gw}, s.d("x"), wOut)
	s.continued("w", rs[1])
	s.send("x", rs[0])
}

func linear(s *sweep) {
	dy := s.cot("y")
	gw, wOut := s.gradOf("w")
	s.continued("w", s.emit(ir.OpLinearDW, ir.Attr{}, []ir.ID{dy, s.arg("x"), s.o.Control, gw}, wOut)[0])
	if s.arg("b") != ir.None {
		gb, bOut := s.gradOf("b")
		s.continued("b", s.emit(ir.OpLinearDB, ir.Attr{}, []ir.ID{dy, s.o.Control, gb}, bOut)[0])
	}
	s.send("x", s.emit(ir.OpLinearDX, ir.Attr{}, []ir.ID{dy, s.arg("w")}, s.d("x"))[0])
}

func gelu(s *sweep) {
	s.send("x", s.emit(ir.OpGELUGrad, s.n.Attr, []ir.ID{s.arg("x"), s.cot("y")}, s.d("x"))[0])
}

func swiGLU(s *sweep) {
	s.send("gu", s.emit(ir.OpSwiGLUGrad, ir.Attr{}, []ir.ID{s.arg("gu"), s.cot("h")}, s.d("gu"))[0])
}

// rope is orthogonal: its transpose turns back.
func rope(s *sweep) {
	a := s.n.Attr
	a.Inverse = !a.Inverse
	s.send("x", s.emit(ir.OpRoPE, a, []ir.ID{s.cot("y"), s.arg("positions")}, s.d("x"))[0])
}

func attention(s *sweep) {
	s.send("qkv", s.emit(ir.OpAttentionGrad, s.n.Attr, []ir.ID{s.cot("att"), s.arg("qkv"), s.result("att"), s.result("lse"), s.arg("lo")}, s.d("qkv"))[0])
}

// add hands the same gradient to both branches; the branch that computes
// something goes on first, the residual waits.
func add(s *sweep) {
	dy := s.cot("y")
	s.send("a", dy)
	s.send("b", dy)
}

func dropout(s *sweep) {
	s.send("x", s.emit(ir.OpDropout, s.n.Attr, []ir.ID{s.cot("y"), s.o.Control}, s.d("x"))[0])
}
