package kerneltest

import (
	"strings"
	"testing"

	"github.com/gradcue/gradcue/kernels/cpu"
)

// TestMutants: the suite finds kernels that break one rule each. broken changes one kernel of a good set, by names the case that
// must report it.
func TestMutants(t *testing.T) {
	for _, m := range []struct {
		name, by string
		broken   func(k *Kernels)
	}{
		{"rows summed from zero, then added", "Rows/LinearDW", func(k *Kernels) {
			k.LinearDW = func(p cpu.Par, dw, dy, x f32, R, K, N int, acc bool) {
				sum := make(f32, N*K)
				cpu.LinearDW(p, sum, dy, x, R, K, N, false)
				addTo(dw[:N*K], sum, acc)
			}
		}},
		{"column sums that overwrite", "Rows/LinearDW,DB", func(k *Kernels) {
			k.LinearDB = func(p cpu.Par, db, dy f32, R, N int, acc bool) { cpu.LinearDB(p, db, dy, R, N, false) }
		}},
		{"head gradient that starts each call from zero", "Rows/HeadLossGrad", func(k *Kernels) {
			k.HeadLossGrad = func(p cpu.Par, ws, loss, dx, dw, x, w f32, targets ids, weight f32, c float32, R, C, V int, acc bool) {
				sum := make(f32, V*C)
				cpu.HeadLossGrad(p, ws, loss, dx, sum, x, w, targets, weight, c, R, C, V, false)
				addTo(dw[:V*C], sum, acc)
			}
		}},
		{"a sum split over workers", "LinearDW,DB", func(k *Kernels) {
			k.LinearDB = func(p cpu.Par, db, dy f32, R, N int, acc bool) {
				sums := make(f32, N*p.Workers())
				half := R / p.Workers()
				for i := range p.Workers() {
					end := (i + 1) * half
					if i == p.Workers()-1 {
						end = R
					}
					cpu.LinearDB(p, sums[i*N:], dy[i*half*N:], end-i*half, N, false)
				}
				for i := range p.Workers() {
					addTo(db[:N], sums[i*N:(i+1)*N], acc || i > 0)
				}
			}
		}},
		{"padding rows that scatter", "Rows/EmbedRows", func(k *Kernels) {
			k.EmbedRows = func(p cpu.Par, compact, dx f32, row ids, R, C, rows int, acc bool) {
				at := append(ids(nil), row...)
				for i := range at {
					at[i] = max(0, at[i])
				}
				cpu.EmbedRows(p, compact, dx, at, R, C, rows, acc)
			}
		}},
		{"attention that ignores the window", "Attention/", func(k *Kernels) {
			k.Attention = func(p cpu.Par, ws, out, lse, qkv f32, lo ids, B, T, H, G, D int, scale float32) {
				cpu.Attention(p, ws, out, lse, qkv, nil, B, T, H, G, D, scale)
			}
		}},
		{"statistics recomputed with another epsilon", "Fused/LayerNormApply", func(k *Kernels) {
			k.LayerNormApply = func(p cpu.Par, y, x, mean, rstd, w, b f32, R, C int) {
				cpu.LayerNorm(p, y, make(f32, R), make(f32, R), x, w, b, R, C, 2*eps)
			}
		}},
		{"a mask by place in the batch", "Rows/Dropout", func(k *Kernels) {
			k.Dropout = func(p cpu.Par, y, x f32, rate float64, seed, u uint64, site uint32, seq0, B, T, C int) {
				cpu.Dropout(p, y, x, rate, seed, u, site, 0, B, T, C)
			}
		}},
	} {
		t.Run(m.name, func(t *testing.T) {
			k := CPU()
			m.broken(&k)
			if !reported(k, m.by) {
				t.Errorf("no case named %s… reports it", m.by)
			}
		})
	}
}

// addTo stores or adds x.
func addTo(y, x f32, acc bool) {
	for i, v := range x {
		if acc {
			v += y[i]
		}
		y[i] = v
	}
}

// reported tells whether a check whose name begins with prefix fails.
func reported(k Kernels, prefix string) bool {
	for _, c := range Cases() {
		if strings.HasPrefix(c.Name, prefix) && len(c.Check(k)) > 0 {
			return true
		}
	}
	for _, s := range Equalities() {
		if strings.HasPrefix(s.Name, prefix) && len(s.Check(k)) > 0 {
			return true
		}
	}
	return false
}

func TestMissing(t *testing.T) {
	k := CPU()
	k.Add = nil
	if got := Missing(k); len(got) != 1 || got[0] != "Add" {
		t.Errorf("Missing = %v, want [Add]", got)
	}
}
