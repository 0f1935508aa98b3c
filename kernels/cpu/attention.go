package cpu

import (
	"math"

	"github.com/gradcue/gradcue/kernels/scratch"
)

// Blocks of attention. queryBlock and gradKeys change speed only; the longest whole row and the block of keys above it are part
// of the arithmetic: up to scratch.WholeRow keys a row's softmax is computed at once, above in blocks with rescaling.
const (
	queryBlock = scratch.QueryBlock
	gradKeys   = scratch.GradKeys
	packKeys   = 256 // steps a packed panel of keys, queries or values holds
)

// heads is the shape of an attention over packed rows [q H*D | k G*D | v G*D].
type heads struct {
	T, H, G, D int
	scale      float32
	lo         []int32

	u   ISA
	mem []float32 // scratch memory of the worker, for the vector tiers
}

// on gives the heads the scratch memory of a worker.
func (s heads) on(p Par, worker int) heads {
	if s.u != Go {
		s.mem = memory(p, worker, panelLen)
	}
	return s
}

func (s heads) width() int { return (s.H + 2*s.G) * s.D }

// first returns the first visible key of query i of sequence b; greater than i says none.
func (s heads) first(b, i int) int {
	if s.lo == nil {
		return 0
	}
	return int(s.lo[b*s.T+i])
}

// rows is a matrix inside packed rows: row i starts at data[i*ld].
type rows struct {
	data []float32
	ld   int
}

// query, key and value return the matrices [T,D] of one sequence.
func (s heads) query(qkv []float32, b, h int) rows {
	return rows{qkv[b*s.T*s.width()+h*s.D:], s.width()}
}

func (s heads) key(qkv []float32, b, g int) rows {
	return rows{qkv[b*s.T*s.width()+(s.H+g)*s.D:], s.width()}
}

func (s heads) value(qkv []float32, b, g int) rows {
	return rows{qkv[b*s.T*s.width()+(s.H+s.G+g)*s.D:], s.width()}
}

// span returns the keys [j0,j1) that the queries [i0,i1) of sequence b see together, j0 a multiple of 16;
// j0 = j1 when none sees any.
func (s heads) span(b, i0, i1 int) (j0, j1 int) {
	j0 = i1
	for i := i0; i < i1; i++ {
		if f := s.first(b, i); f <= i {
			j0, j1 = min(j0, f), i+1
		}
	}
	if j1 == 0 {
		return 0, 0
	}
	return j0 &^ 15, j1
}

// AttentionWorkspace is the workspace of [Attention] in float32, for that many workers: one block of scores each.
func AttentionWorkspace(B, T, H, G, D, workers int) int64 { return scratch.Attention(T, workers) }

// Attention is softmax(q kᵀ scale) v over the visible keys, for packed rows qkv [B*T, (H+2G)D] =
// [q H*D | k G*D | v G*D]; head h reads group h/(H/G). Query i of a sequence sees its keys lo[b*T+i] … i (lo nil: from
// 0). out is [B*T, H*D]; lse [B*T, H] is the log-sum-exp of the scaled scores, which the gradient
// recomputes the probabilities from. A query that sees no key gets out = 0, lse = +Inf.
//
// Scores and sums over keys are chains, keys ascending; masked keys inside a block enter as exact zeros.
func Attention(p Par, ws, out, lse, qkv []float32, lo []int32, B, T, H, G, D int, scale float32) {
	s := heads{T: T, H: H, G: G, D: D, scale: scale, lo: lo, u: isa(p)}
	blocks := (T + queryBlock - 1) / queryBlock
	slot := int(scratch.AttentionSlot(T))
	type args struct {
		heads
		p                 Par
		ws, out, lse, qkv []float32
		blocks, slot      int
	}
	each(p, B*H*blocks, 1, args{s, p, ws, out, lse, qkv, blocks, slot}, func(t *args, lo, hi, worker int) {
		scores, s := t.ws[worker*t.slot:][:t.slot], t.on(t.p, worker)
		for i := lo; i < hi; i++ {
			bh, blk := i/t.blocks, i%t.blocks
			s.forward(scores, t.out, t.lse, t.qkv, bh/s.H, bh%s.H, blk*queryBlock)
		}
	})
}

// forward computes the rows i0 … of one head: for every block of keys the scores, the softmax so far, and
// the sum of values so far, rescaled when the maximum grew.
func (s heads) forward(scores, out, lse, qkv []float32, b, h, i0 int) {
	i1 := min(s.T, i0+queryBlock)
	j0, j1 := s.span(b, i0, i1)
	step := scratch.SoftmaxKeys(s.T)
	ld := scratch.Stride(step)
	g := h / (s.H / s.G)
	o := rows{out[b*s.T*s.H*s.D+h*s.D:], s.H * s.D}
	var top, sum [queryBlock]float32
	for i := range top {
		top[i] = negInf
	}
	for k0 := j0 / step * step; k0 < j1; k0 += step {
		a, z := max(k0, j0), min(k0+step, j1)
		s.scores(scores, ld, s.query(qkv, b, h), s.key(qkv, b, g), i0, i1, a, z)
		for i := i0; i < i1; i++ {
			row := scores[(i-i0)*ld:][:ld]
			factor := s.softmax(row, b, i, a, z, &top[i-i0], &sum[i-i0])
			if factor != 1 {
				s.u.scaleRow(o.data[i*o.ld:][:s.D], factor)
			}
		}
		s.weigh(o, scores, ld, s.value(qkv, b, g), i0, i1, a, z, k0 > j0)
	}
	for i := i0; i < i1; i++ {
		r := b*s.T + i
		if s.first(b, i) > i {
			clear(o.data[i*o.ld:][:s.D])
			lse[r*s.H+h] = float32(math.Inf(1))
			continue
		}
		s.u.scaleRow(o.data[i*o.ld:][:s.D], 1/sum[i-i0])
		lse[r*s.H+h] = top[i-i0] + float32(math.Log(float64(sum[i-i0])))
	}
}

// scores stores q_i·k_j at c[(i-i0)*ld+j-a] for the queries [i0,i1) and the keys [a,z) with j <= i; other
// elements are left undefined.
func (s heads) scores(c []float32, ld int, q, k rows, i0, i1, a, z int) {
	if s.u != Go {
		s.vecScores(c, ld, q, k, i0, i1, a, z)
		return
	}
	var panel [packKeys][panelCols]float32
	for j := a; j < z; j += panelCols {
		w := min(panelCols, z-j)
		from := max(i0, j)
		for d := 0; d < s.D; d += packKeys {
			pn := panel[:min(packKeys, s.D-d)]
			packRows(pn, k.data[j*k.ld+d:], k.ld, w)
			panelRows(c[(from-i0)*ld+j-a:], ld, q.data[from*q.ld+d:], q.ld, i1-from, pn, d > 0)
		}
	}
}

// softmax replaces the scores of query i over the keys [a,z) by e^(score*scale - max) and zeros where it
// sees nothing, and updates the maximum and the sum of the row. It returns the factor by which what was summed
// before must be multiplied.
func (s heads) softmax(row []float32, b, i, a, z int, top, sum *float32) (factor float32) {
	f, e := max(s.first(b, i), a)-a, min(i+1, z)-a
	if f >= e {
		clear(row[:z-a])
		return 1
	}
	if s.u != Go {
		return s.vecSoftmax(row, f, e, z-a, top, sum)
	}
	seen := row[f:e]
	m := *top
	for j, v := range seen {
		v *= s.scale
		seen[j] = v
		if v > m {
			m = v
		}
	}
	clear(row[:f])
	clear(row[e : z-a])
	expSub(seen, seen, m)
	factor = 1
	if m > *top && *sum != 0 {
		factor = exp(*top - m)
	}
	*sum = float32(*sum*factor) + sum16(row[f&^15:e])
	*top = m
	return factor
}

// weigh continues o[i] += Σ_j P[i,j] v[j] over the keys [a,z), j ascending; with load false it starts from zero. Pairs of
// queries on the diagonal stop at their last key.
func (s heads) weigh(o rows, P []float32, ld int, v rows, i0, i1, a, z int, load bool) {
	if s.u != Go {
		s.vecWeigh(o, P, ld, v, i0, i1, a, z, load)
		return
	}
	var panel [packKeys][panelCols]float32
	for j := a; j < z; j += packKeys {
		pn := panel[:min(packKeys, z-j)]
		from := i0
		if j > a || load {
			from = max(i0, j) // the queries before have ended, and their chain has begun
		}
		for d := 0; d < s.D; d += panelCols {
			w := min(panelCols, s.D-d)
			packCols(pn, v.data[j*v.ld+d:], v.ld, w)
			s.diagonal(rows{o.data[d:], o.ld}, rows{P[j-a:], ld}, from, i0, i1, j, w, pn, j > a || load)
		}
	}
}

// diagonal multiplies the rows from … i1-1 by a panel of the keys j … : rows that see them all in one call, the others
// in pairs with the panel cut after the last key of the pair.
func (s heads) diagonal(o, P rows, from, i0, i1, j, w int, pn [][panelCols]float32, load bool) {
	i := from
	for ; i < i1 && i+1 < j+len(pn); i += tileRows {
		m := min(tileRows, i1-i)
		n := max(0, min(len(pn), i+m-j))
		someRows(o.data[i*o.ld:], o.ld, P.data[(i-i0)*P.ld:], P.ld, m, w, pn[:n], load)
	}
	if i < i1 {
		someRows(o.data[i*o.ld:], o.ld, P.data[(i-i0)*P.ld:], P.ld, i1-i, w, pn, load)
	}
}
