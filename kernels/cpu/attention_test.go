package cpu

import (
	"fmt"
	"testing"
)

// many says that it has so many workers, of which one does everything.
type many struct {
	SerialISA
	workers int
}

func (m many) Workers() int { return m.workers }

// TestAttentionGradApart: the gradients of queries and those of keys and values in tasks of their own have the bits of the two
// together, with whole rows visible, with windows, and where queries see nothing.
func TestAttentionGradApart(t *testing.T) {
	for _, s := range [][5]int{{1, 1, 1, 1, 1}, {1, 70, 4, 1, 20}, {1, 300, 2, 2, 33}, {3, 131, 2, 1, 64}, {1, 257, 3, 3, 8}} {
		B, T, H, G, D := s[0], s[1], s[2], s[3], s[4]
		qkv, dout := stream(B*T*(H+2*G)*D, 1), stream(B*T*H*D, 2)
		for kind, lo := range map[string][]int32{"causal": nil, "window": make([]int32, B*T)} {
			for i := range lo {
				lo[i] = int32(max(0, i%T-40))
				if i%7 == 3 {
					lo[i] = int32(i%T + 1)
				}
			}
			for _, u := range everyTier() {
				t.Run(fmt.Sprintf("%v/%s/%s", s, kind, u), func(t *testing.T) {
					p := many{SerialISA(u), 64}
					if !apart(B*G, p.workers) || apart(B*G, 1) {
						t.Fatal("the two ways are the same here")
					}
					out, lse := make([]float32, B*T*H*D), make([]float32, B*T*H)
					Attention(p, make([]float32, AttentionWorkspace(B, T, H, G, D, 64)), out, lse, qkv, lo, B, T, H, G, D, 0.3)
					want, got := stream(len(qkv), 3), stream(len(qkv), 4)
					ws := make([]float32, AttentionGradWorkspace(B, T, H, G, D, 64))
					AttentionGrad(SerialISA(u), ws, want, dout, qkv, out, lse, lo, B, T, H, G, D, 0.3)
					AttentionGrad(p, ws, got, dout, qkv, out, lse, lo, B, T, H, G, D, 0.3)
					wantBits(t, "dqkv", F32(got), want)
				})
			}
		}
	}
}

// TestApart: groups are cut where they leave workers idle, and nowhere else.
func TestApart(t *testing.T) {
	for _, c := range []struct {
		groups, workers int
		want            bool
	}{{1, 1, false}, {1, 2, true}, {2, 2, false}, {3, 2, false}, {12, 2, false}, {12, 8, false}, {12, 10, true}, {5, 4, true}, {48, 16, false}, {4, 16, true}} {
		if got := apart(c.groups, c.workers); got != c.want {
			t.Errorf("%d groups on %d workers: %t", c.groups, c.workers, got)
		}
	}
}
