package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gradcue/gradcue/spec/diag"
	"github.com/gradcue/gradcue/spec/shape"
)

var gradCover = Rule{
	ID: "grad.cover", Title: "kernels cover their shapes, and were proved for them",
	Formula: "rows × columns from the shape, backward as forward; programs = partials = ⌈rows/block⌉; sizes ∈ proved",
	Doc:     `The sizes that a backward kernel works with follow from the shape of the forward input: rows are all axes but the last ones that make a row, not the first axis alone. Where rows are divided into blocks, programs and partial sums are rows/block rounded up, or rows are lost or written out of bounds. A program that works on one block of a row loses the rest of a longer one, and 32-bit indices end at 2^31 elements. A kernel whose gradients were proved for some sizes (head width, batch) is only a warning away from wrong ones at others: right outputs say nothing about gradients. gradcue proves its own kernels over sizes that do not divide, by finite differences and against a reference, in its tests.`,
	Spec: func(in *Input) (fs []Finding) {
		g := graph(in)
		for i := range g.Kernels {
			k := &g.Kernels[i]
			field := fmt.Sprintf("pipeline.graph.kernels.%d", i)
			rows, f := rowsOf(k)
			if f == nil {
				f = indexed(k, rows)
			}
			if f == nil {
				f = blocked(k, rows)
			}
			if f == nil {
				f = proved(in, k)
			}
			if f != nil {
				f.Field = field + f.Field
				f.Related = append(f.Related, field)
				fs = append(fs, *f)
			}
		}
		return fs
	},
}

// rowsOf is the number of rows of a kernel, or what is wrong with it.
func rowsOf(k *shape.Kernel) (int64, *Finding) {
	if len(k.Shape) == 0 {
		return k.Rows, nil
	}
	if k.RowAxes > int64(len(k.Shape)) {
		return 0, &Finding{Field: ".rowAxes", Summary: fmt.Sprintf("kernel %s has rows of %d axes, but a shape of %d", k.Name, k.RowAxes, len(k.Shape)), Help: "use at most the number of axes of the shape"}
	}
	rows, columns := int64(1), int64(1)
	cut := len(k.Shape) - int(k.RowAxes)
	for i, n := range k.Shape {
		if i < cut {
			rows = times(rows, n)
		} else {
			columns = times(columns, n)
		}
	}
	m, n := k.Rows, k.Columns
	if m == 0 {
		m = rows
	}
	if n == 0 {
		n = columns
	}
	if m == rows && n == columns {
		return rows, nil
	}
	f := &Finding{Field: ".rows", Help: "derive rows and columns from the shape as forward does",
		Summary: fmt.Sprintf("kernel %s runs over %d rows of %d for an input of shape %v, which has %d rows of %d", k.Name, m, n, k.Shape, rows, columns)}
	if m == rows {
		f.Field = ".columns"
	}
	return rows, f
}

// columnsOf is the length of a row, 0 where it is not described.
func columnsOf(k *shape.Kernel) int64 {
	if k.Columns > 0 || len(k.Shape) == 0 {
		return k.Columns
	}
	n := int64(1)
	for _, m := range k.Shape[len(k.Shape)-int(k.RowAxes):] {
		n = times(n, m)
	}
	return n
}

// indexed checks that a kernel covers a whole row and can number its elements.
func indexed(k *shape.Kernel, rows int64) *Finding {
	columns := columnsOf(k)
	if k.Covers != nil && *k.Covers < columns {
		return &Finding{Field: ".covers", Help: "loop over the row, or use a block that is as long",
			Summary: fmt.Sprintf("kernel %s works on %d elements of a row of %d: %d are lost", k.Name, *k.Covers, columns, columns-*k.Covers)}
	}
	if n := times(max(rows, 1), columns); k.IndexBits == 32 && n > 1<<31 {
		return &Finding{Field: ".indexBits", Help: "use 64-bit indices, or cut the input into parts",
			Summary: fmt.Sprintf("kernel %s numbers %d elements with 32 bits, which end at %d", k.Name, n, int64(1<<31)-1)}
	}
	return nil
}

// blocked checks programs and partial sums against the rows.
func blocked(k *shape.Kernel, rows int64) *Finding {
	if k.Block == 0 || rows == 0 {
		return nil
	}
	need := ceilDiv(rows, k.Block)
	programs, partials := need, need
	if k.Programs != nil {
		programs = *k.Programs
	}
	if k.Partials != nil {
		partials = *k.Partials
	}
	if programs == need && partials == need {
		return nil
	}
	lost := max(0, rows-times(min(programs, partials), k.Block))
	f := &Finding{Field: ".partials", Help: fmt.Sprintf("use %d of both: rows / block, rounded up", need),
		Summary: fmt.Sprintf("kernel %s has %d rows in blocks of %d, which makes %d programs and partial sums; it starts %d programs and has room for %d: %s lost", k.Name, rows, k.Block, need, programs, partials, areLost(lost))}
	if partials == need {
		f.Field = ".programs"
	}
	if programs > partials {
		f.Summary += fmt.Sprintf(", %s out of bounds", plural(programs-partials, "write"))
	}
	return f
}

func areLost(n int64) string {
	if n == 1 {
		return "1 row is"
	}
	return fmt.Sprintf("%d rows are", n)
}

// proved compares the sizes in use with those that were proved.
func proved(in *Input, k *shape.Kernel) *Finding {
	if len(k.Proved) == 0 {
		return nil
	}
	x := in.Experiment
	own := map[string]int64{"headDim": x.Model.HeadDim, "heads": x.Model.Heads, "kvHeads": x.Model.KVHeads, "dModel": x.Model.DModel, "ffn": x.Model.FFN,
		"layers": x.Model.Layers, "vocab": x.Model.Vocab, "batch": x.Window.MicroBatchSize, "seqLen": x.Window.SeqLen}
	runs, at := k.Runs, ".runs"
	if len(runs) == 0 {
		runs, at = []map[string]int64{{}}, ".proved"
	}
	for _, run := range runs {
		with := maps.Clone(own)
		maps.Copy(with, run)
		ok := slices.ContainsFunc(k.Proved, func(p map[string]int64) bool {
			for name, n := range p {
				if m, known := with[name]; !known || m != n {
					return false
				}
			}
			return true
		})
		if ok {
			continue
		}
		var names []string
		for _, p := range k.Proved {
			names = append(names, slices.Collect(maps.Keys(p))...)
		}
		slices.Sort(names)
		var sizes, known []string
		for _, n := range slices.Compact(names) {
			if m, ok := with[n]; ok {
				sizes = append(sizes, fmt.Sprintf("%s %d", n, m))
			} else {
				sizes = append(sizes, n+" unknown")
			}
		}
		for _, p := range k.Proved {
			known = append(known, sizesOf(p))
		}
		return &Finding{Field: at, Severity: diag.Warning, Related: []string{"model.headDim"}, Help: "check the gradients of this shape against a reference first, or use a kernel that was proved for it",
			Summary: fmt.Sprintf("shape (%s) is outside the proved set of %s: %s", strings.Join(sizes, ", "), k.Name, strings.Join(known, "; "))}
	}
	return nil
}

// sizesOf prints named sizes in the order of their names.
func sizesOf(m map[string]int64) string {
	var parts []string
	for _, n := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%s %d", n, m[n]))
	}
	return strings.Join(parts, ", ")
}
