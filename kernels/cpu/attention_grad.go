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
// queries, ascending.
//
// One task is one group of one sequence. Where these are too few for the workers, the gradients of queries and those of keys and
// values are tasks of their own, of one block each, and the scores are computed for both: two fifths more work, on all workers.
func AttentionGrad(p Par, ws, dqkv, dout, qkv, out, lse []float32, lo []int32, B, T, H, G, D int, scale float32) {
	s := heads{T: T, H: H, G: G, D: D, scale: scale, lo: lo, u: isa(p)}
	t := attentionGrad{s, p, ws, dqkv, dout, qkv, out, lse, B * H * ((T + queryBlock - 1) / queryBlock)}
	if !apart(B*G, p.Workers()) {
		each(p, B*G, 1, t, func(t *attentionGrad, lo, hi, worker int) {
			blk := t.block(worker)
			for i := lo; i < hi; i++ {
				blk.group(t, i/t.G, i%t.G)
			}
		})
		return
	}
	each(p, t.queries+B*G*((T+gradKeys-1)/gradKeys), 1, t, func(t *attentionGrad, lo, hi, worker int) {
		blk := t.block(worker)
		for i := lo; i < hi; i++ {
			blk.part(t, i)
		}
	})
}

// apart reports whether groups are so few that computing scores twice, on all workers, takes less time.
func apart(groups, workers int) bool {
	return 5*((groups+workers-1)/workers)*workers > 7*groups
}

// attentionGrad is one call.
type attentionGrad struct {
	heads
	p                             Par
	ws, dqkv, dout, qkv, out, lse []float32
	queries                       int // blocks of queries of all heads: the first tasks when queries and keys are apart
}

// block is the working space of a worker.
func (t *attentionGrad) block(worker int) gradBlock {
	const n = queryBlock * gradStride
	slot := int(scratch.AttentionGradSlot())
	ws := t.ws[worker*slot:][:slot]
	blk := gradBlock{heads: t.on(t.p, worker), S: ws[:n], dP: ws[n : 2*n], Pt: ws[2*n : 2*n+gradKeys*queryBlock], dSt: ws[2*n+gradKeys*queryBlock:]}
	if t.u != Go {
		blk.Pt = ws[2*n : 3*n] // P itself: the products read it transposed
	}
	return blk
}

// gradBlock are the views of one head and one block of queries [i0,i1) and keys [a,z) that the backward pass
// works on.
type gradBlock struct {
	heads
	b, i0, i1, a, z   int
	q, k, v, dO, o    rows
	dq, dk, dv        rows
	S, dP, Pt, dSt    []float32 // [queryBlock, gradStride] twice, [gradKeys, queryBlock] twice
	delta, normaliser [queryBlock]float32
}

// group computes dq, dk, dv of group g of sequence b.
func (t *gradBlock) group(c *attentionGrad, b, g int) {
	t.keys(c, b, g, 0, t.T)
	size := t.H / t.G
	for h := g * size; h < (g+1)*size; h++ {
		t.head(c, h)
		for i0 := 0; i0 < t.T; i0 += queryBlock {
			t.from(c, h, i0)
			t.walk(0, t.T, true, true)
		}
	}
}

// part is a task of its own: dq of a block of queries of a head, or dk and dv of a block of keys of a group.
func (t *gradBlock) part(c *attentionGrad, i int) {
	if i < c.queries {
		blocks := c.queries / t.H // of all sequences
		h, blk := i/blocks, i%blocks
		n := (t.T + queryBlock - 1) / queryBlock
		t.b = blk / n
		g := h / (t.H / t.G)
		t.k, t.v = t.key(c.qkv, t.b, g), t.value(c.qkv, t.b, g)
		t.head(c, h)
		t.from(c, h, blk%n*queryBlock)
		t.walk(0, t.T, true, false)
		return
	}
	i -= c.queries
	n := (t.T + gradKeys - 1) / gradKeys
	g, first := i/n%t.G, i%n*gradKeys
	last := min(t.T, first+gradKeys)
	t.keys(c, i/n/t.G, g, first, last)
	size := t.H / t.G
	for h := g * size; h < (g+1)*size; h++ {
		t.head(c, h)
		for i0 := first / queryBlock * queryBlock; i0 < t.T; i0 += queryBlock {
			t.from(c, h, i0)
			t.walk(first, last, false, true)
		}
	}
}

// keys begins with the keys and values [first,last) of a group.
func (t *gradBlock) keys(c *attentionGrad, b, g, first, last int) {
	t.b = b
	t.k, t.v, t.dk, t.dv = t.key(c.qkv, b, g), t.value(c.qkv, b, g), t.key(c.dqkv, b, g), t.value(c.dqkv, b, g)
	for j := first; j < last; j++ {
		clear(t.dk.data[j*t.dk.ld:][:t.D])
		clear(t.dv.data[j*t.dv.ld:][:t.D])
	}
}

// head goes to a query head.
func (t *gradBlock) head(c *attentionGrad, h int) {
	at, ld := t.b*t.T*t.H*t.D+h*t.D, t.H*t.D
	t.q, t.dq = t.query(c.qkv, t.b, h), t.query(c.dqkv, t.b, h)
	t.o, t.dO = rows{c.out[at:], ld}, rows{c.dout[at:], ld}
}

// from goes to the block of queries from i0 on.
func (t *gradBlock) from(c *attentionGrad, h, i0 int) {
	t.i0, t.i1 = i0, min(t.T, i0+queryBlock)
	for i := i0; i < t.i1; i++ {
		t.delta[i-i0] = t.u.dot16(t.dO.data[i*t.o.ld:][:t.D], t.o.data[i*t.o.ld:][:t.D])
		t.normaliser[i-i0] = c.lse[(t.b*t.T+i)*t.H+h]
	}
}

// walk goes over the blocks of keys in [first,last) that the queries see, and adds to the gradients of queries, or of keys and
// values, or of both.
func (t *gradBlock) walk(first, last int, queries, keys bool) {
	j0, j1 := t.span(t.b, t.i0, t.i1)
	for i := t.i0; i < t.i1 && queries; i++ {
		clear(t.dq.data[i*t.dq.ld:][:t.D])
	}
	j1 = min(j1, last)
	for t.a = max(j0, first); t.a < j1; t.a += gradKeys {
		t.z = min(j1, t.a+gradKeys)
		t.scores(t.S, gradStride, t.q, t.k, t.i0, t.i1, t.a, t.z)
		t.scores(t.dP, gradStride, t.dO, t.v, t.i0, t.i1, t.a, t.z)
		dS := t.dSt
		if t.u != Go {
			t.vecProbabilities()
			dS = t.S
		} else {
			t.probabilities()
		}
		if queries {
			t.weigh(t.dq, t.S, gradStride, t.k, t.i0, t.i1, t.a, t.z, true)
		}
		if keys {
			t.transposed(t.dv, t.Pt, t.dO)
			t.transposed(t.dk, dS, t.q)
		}
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
	if t.u != Go {
		t.vecTransposed(dst, At, src)
		return
	}
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
