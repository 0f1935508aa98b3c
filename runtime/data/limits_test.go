package data

import (
	"math"
	"testing"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan/plantest"
)

func TestLimitsComeFromTensors(t *testing.T) {
	p := plantest.GPT(plantest.Small())
	p.Run.Model.Vocab, p.Run.Model.Context = 1<<30, 1<<30
	got := LimitsOf(p)
	if want := (Limits{B: 2, T: 8, Vocab: 31, Context: math.MaxInt32, All: true}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestLimitsOfEachInput(t *testing.T) {
	f := func(shape ...int) ir.Type { return ir.Of(ir.F32, shape...) }
	ids := func(n int) ir.Type { return ir.Of(ir.I32, n) }
	ctl := ir.Of(ir.F64, ir.ControlLen)
	tests := []struct {
		c    plantest.Case
		want Limits
	}{
		{plantest.Case{Op: ir.OpEmbed, Attr: ir.Attr{SeqLen: 2}, Args: []ir.Type{f(7, 4), f(3, 4), ids(2), ids(2)}}, Limits{Vocab: 7, Context: 3}},
		{plantest.Case{Op: ir.OpEmbedRows, Args: []ir.Type{f(2, 4), ids(2), ctl, f(5, 4)}}, Limits{Context: math.MaxInt32, Compact: 5}},
		{plantest.Case{Op: ir.OpPosGrad, Attr: ir.Attr{SeqLen: 2}, Args: []ir.Type{f(2, 4), ids(2), ctl, f(9, 4)}}, Limits{Context: 9}},
		{plantest.Case{Op: ir.OpHeadLoss, Args: []ir.Type{f(2, 4), f(6, 4), ids(2), f(2)}}, Limits{Vocab: 6, Context: math.MaxInt32}},
	}
	for _, tt := range tests {
		p, _, _ := plantest.Single(tt.c, 1)
		tt.want.B, tt.want.T, tt.want.All = 1, 1, true
		if got := LimitsOf(p); got != tt.want {
			t.Errorf("%s: got %+v, want %+v", tt.c.Op, got, tt.want)
		}
	}
}
