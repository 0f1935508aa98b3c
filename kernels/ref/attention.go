package ref

import "math"

// Attention is softmax(q kᵀ scale) v over the visible keys lo_i … i of each query, for packed rows
// [q H*D | k G*D | v G*D]; head h reads group h/(H/G). lse [R,H] is the log-sum-exp of the scaled scores. A query
// without a visible key gets out = 0, lse = +Inf. lo nil means 0.
func Attention(out, lse, qkv []float64, lo []int32, B, T, H, G, D int, scale float64) {
	for r := range B * T {
		for h := range H {
			o := out[(r*H+h)*D : (r*H+h+1)*D]
			clear(o)
			keys := visible(lo, r, T)
			score := make([]float64, len(keys))
			top := math.Inf(-1)
			for n, j := range keys {
				score[n] = scale * dot(query(qkv, r, h, H, G, D), key(qkv, j, h, H, G, D))
				top = max(top, score[n])
			}
			sum := 0.0
			for _, s := range score {
				sum += math.Exp(s - top)
			}
			lse[r*H+h] = top + math.Log(sum)
			if len(keys) == 0 {
				lse[r*H+h] = math.Inf(1)
			}
			for n, j := range keys {
				p := math.Exp(score[n] - lse[r*H+h])
				for d, v := range value(qkv, j, h, H, G, D) {
					o[d] += p * v
				}
			}
		}
	}
}

// AttentionGrad is the VJP of [Attention]: with P = e^(S scale - lse) and Δ = Σ_d dout out,
// dV = Pᵀ dO, dP = dO Vᵀ, dS = P (dP - Δ), dQ = dS K scale, dK = dSᵀ Q scale; dqkv is overwritten.
func AttentionGrad(dqkv, dout, qkv, out, lse []float64, lo []int32, B, T, H, G, D int, scale float64) {
	clear(dqkv[:B*T*(H+2*G)*D])
	for r := range B * T {
		for h := range H {
			up, o := dout[(r*H+h)*D:(r*H+h+1)*D], out[(r*H+h)*D:(r*H+h+1)*D]
			delta := dot(up, o)
			q, dq := query(qkv, r, h, H, G, D), query(dqkv, r, h, H, G, D)
			for _, j := range visible(lo, r, T) {
				k, dk := key(qkv, j, h, H, G, D), key(dqkv, j, h, H, G, D)
				v, dv := value(qkv, j, h, H, G, D), value(dqkv, j, h, H, G, D)
				p := math.Exp(scale*dot(q, k) - lse[r*H+h])
				ds := p * (dot(up, v) - delta) * scale
				for d := range D {
					dv[d] += p * up[d]
					dq[d] += ds * k[d]
					dk[d] += ds * q[d]
				}
			}
		}
	}
}

// visible lists the rows of the keys that the query of row r sees.
func visible(lo []int32, r, T int) []int {
	first, last := r-r%T, r
	if lo != nil {
		first += int(lo[r])
	}
	var keys []int
	for j := first; j <= last; j++ {
		keys = append(keys, j)
	}
	return keys
}

// query, key and value are the parts of row r of packed rows that head h uses.
func query(qkv []float64, r, h, H, G, D int) []float64 {
	return qkv[r*(H+2*G)*D+h*D:][:D]
}

func key(qkv []float64, r, h, H, G, D int) []float64 {
	return qkv[r*(H+2*G)*D+(H+h/(H/G))*D:][:D]
}

func value(qkv []float64, r, h, H, G, D int) []float64 {
	return qkv[r*(H+2*G)*D+(H+G+h/(H/G))*D:][:D]
}

// dot is Σ a b.
func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}
