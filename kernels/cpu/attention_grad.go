package cpu

import "github.com/gradcue/gradcue/kernels/scratch"

// gradStride is the row stride of a block of gradKeys scores.
const gradStride = scratch.GradStride

// AttentionGradWorkspace is the workspace of [AttentionGrad] in float32, for that many workers.
func AttentionGradWorkspace(B, T, H, G, D, workers int) int64 { return scratch.AttentionGrad(workers) }

// AttentionGrad is the VJP of [Attention]: dqkv [B*T, (H+2G)D], overwritten, from dout, out [B*T, H*D] and lse. With
// P = e^(S scale - lse) over the visible keys and Δ_i = Σ_d dout out (= rowsum(dP ⊙ P)):
//
//	dV = Pᵀ dO    dP = dO Vᵀ    dS = P (dP - Δ) scale    dQ = dS K    dK = dSᵀ Q
//
// dQ is a chain over keys ascending; dK and dV are chains over the query heads of the group, and in each over
// queries, ascending. One task is one group of one sequence.
func AttentionGrad(p Par, ws, dqkv, dout, qkv, out, lse []float32, lo []int32, B, T, H, G, D int, scale float32) {
	s := heads{T: T, H: H, G: G, D: D, scale: scale, lo: lo, u: isa(p)}
	slot := int(scratch.AttentionGradSlot())
	type args struct {
		heads
		p                             Par
		ws, dqkv, dout, qkv, out, lse []float32
		slot                          int
	}
	each(p, B*G, 1, args{s, p, ws, dqkv, dout, qkv, out, lse, slot}, func(t *args, lo, hi, worker int) {
		mem, s := t.ws[worker*t.slot:][:t.slot], t.on(t.p, worker)
		for i := lo; i < hi; i++ {
			s.backward(mem, t.dqkv, t.dout, t.qkv, t.out, t.lse, i/s.G, i%s.G)
		}
	})
}

// gradBlock are the views of one head and one block of queries [i0,i1) and keys [a,z) that the backward pass
// works on.
type gradBlock struct {
	heads
	b, i0, i1, a, z   int
	q, k, v, dO       rows
	dq, dk, dv        rows
	S, dP, Pt, dSt    []float32 // [queryBlock, gradStride] twice, [gradKeys, queryBlock] twice
	delta, normaliser [queryBlock]float32
}

// backward computes dq, dk, dv of group g of sequence b.
func (s heads) backward(ws, dqkv, dout, qkv, out, lse []float32, b, g int) {
	n := queryBlock * gradStride
	blk := gradBlock{heads: s, b: b,
		k: s.key(qkv, b, g), v: s.value(qkv, b, g), dk: s.key(dqkv, b, g), dv: s.value(dqkv, b, g),
		S: ws[:n], dP: ws[n : 2*n], Pt: ws[2*n : 2*n+gradKeys*queryBlock], dSt: ws[2*n+gradKeys*queryBlock:]}
	for j := range s.T {
		clear(blk.dk.data[j*blk.dk.ld:][:s.D])
		clear(blk.dv.data[j*blk.dv.ld:][:s.D])
	}
	if s.u != Go {
		blk.Pt = ws[2*n : 3*n] // P itself: the products read it transposed
	}
	size := s.H / s.G
	for h := g * size; h < (g+1)*size; h++ {
		o := rows{out[b*s.T*s.H*s.D+h*s.D:], s.H * s.D}
		blk.q, blk.dq = s.query(qkv, b, h), s.query(dqkv, b, h)
		blk.dO = rows{dout[b*s.T*s.H*s.D+h*s.D:], s.H * s.D}
		for i0 := 0; i0 < s.T; i0 += queryBlock {
			blk.i0, blk.i1 = i0, min(s.T, i0+queryBlock)
			for i := i0; i < blk.i1; i++ {
				blk.delta[i-i0] = s.u.dot16(blk.dO.data[i*o.ld:][:s.D], o.data[i*o.ld:][:s.D])
				blk.normaliser[i-i0] = lse[(b*s.T+i)*s.H+h]
			}
			blk.queries()
		}
	}
}

// queries walks the key blocks of one block of queries.
func (t *gradBlock) queries() {
	j0, j1 := t.span(t.b, t.i0, t.i1)
	for i := t.i0; i < t.i1; i++ {
		clear(t.dq.data[i*t.dq.ld:][:t.D])
	}
	for t.a = j0; t.a < j1; t.a += gradKeys {
		t.z = min(j1, t.a+gradKeys)
		t.scores(t.S, gradStride, t.q, t.k, t.i0, t.i1, t.a, t.z)
		t.scores(t.dP, gradStride, t.dO, t.v, t.i0, t.i1, t.a, t.z)
		if t.u != Go {
			t.vecProbabilities()
			t.weigh(t.dq, t.S, gradStride, t.k, t.i0, t.i1, t.a, t.z, true)
			t.vecTransposed(t.dv, t.Pt, t.dO)
			t.vecTransposed(t.dk, t.S, t.q)
			continue
		}
		t.probabilities()
		t.weigh(t.dq, t.S, gradStride, t.k, t.i0, t.i1, t.a, t.z, true)
		t.transposed(t.dv, t.Pt, t.dO)
		t.transposed(t.dk, t.dSt, t.q)
	}
}

// probabilities turns the scores into dS, in place, and stores P and dS transposed; both are exact zeros where a
// query sees nothing.
func (t *gradBlock) probabilities() {
	n := t.z - t.a
	var prob [gradKeys]float32
	for i := t.i0; i < t.i1; i++ {
		r := i - t.i0
		row, dp := t.S[r*gradStride:][:n], t.dP[r*gradStride:][:n]
		clear(prob[:n])
		f, e := max(t.first(t.b, i), t.a)-t.a, min(i+1, t.z)-t.a
		if f >= e {
			clear(row)
		} else {
			scoreGrad(row[f:e], dp[f:e], prob[f:e], t.scale, t.normaliser[r], t.delta[r])
			clear(row[:f])
			clear(row[e:])
		}
		for j, v := range prob[:n] {
			t.Pt[j*queryBlock+r] = v
			t.dSt[j*queryBlock+r] = row[j]
		}
	}
}

// scoreGrad stores P and dS of the visible keys of a query; row holds the scores and receives dS.
func scoreGrad(row, dp, prob []float32, scale, norm, delta float32) {
	dp, prob = dp[:len(row)], prob[:len(row)]
	for j, v := range row {
		prob[j] = float32(v * scale)
	}
	expSub(prob, prob, norm)
	for j, v := range prob {
		row[j] = float32(v*(dp[j]-delta)) * scale
	}
}

// transposed continues dst[j] += Σ_i At[j,i] src[i] for the keys of the block, queries ascending. A pair of keys starts at
// the first query that can see one of them.
func (t *gradBlock) transposed(dst rows, At []float32, src rows) {
	var panel [queryBlock][panelCols]float32
	pn := panel[:t.i1-t.i0]
	for d := 0; d < t.D; d += panelCols {
		w := min(panelCols, t.D-d)
		packCols(pn, src.data[t.i0*src.ld+d:], src.ld, w)
		j := t.a
		if full := min(t.z, t.i0+1); full > j {
			pairRows(dst, At, j-t.a, j, full-j, d, w, pn, 0)
			j = full
		}
		for ; j < t.z; j += tileRows {
			pairRows(dst, At, j-t.a, j, min(tileRows, t.z-j), d, w, pn, j-t.i0)
		}
	}
}

// pairRows continues m rows of dst from row j by the rows at … of At, from its column skip on.
func pairRows(dst rows, At []float32, at, j, m, d, w int, pn [][panelCols]float32, skip int) {
	a := At[at*queryBlock+skip:]
	c := dst.data[j*dst.ld+d:]
	if w < panelCols {
		narrowRows(c, dst.ld, a, queryBlock, m, w, pn[skip:], true)
		return
	}
	panelRows(c, dst.ld, a, queryBlock, m, pn[skip:], true)
}
