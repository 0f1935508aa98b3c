package scratch

const (
	// QueryBlock is the number of queries of a block of attention scores.
	QueryBlock = 64
	// GradKeys is the number of keys of a block in attention's gradient.
	GradKeys = 128
	// WholeRow is the longest sequence whose softmax row is held whole.
	WholeRow = 8192
	// KeyBlock is the number of keys held at a time beyond that.
	KeyBlock = 2048
	// PanelCols is the width of a packed panel: the last one may be incomplete.
	PanelCols = 3
	// GradStride is Stride(GradKeys).
	GradStride = (GradKeys + PanelCols - 1 + 15) &^ 15
	// HeadRows is the number of trained positions whose logits are held at a time.
	HeadRows = 256
	// ResultRows is the number of rows of a product with a 16-bit result whose chains are held at a time.
	ResultRows = 1024
)

// Stride is the row stride of a score block of n keys.
func Stride(n int) int { return (n + PanelCols - 1 + 15) &^ 15 }

// SoftmaxKeys is the number of keys of a sequence of T whose scores are held at a time.
func SoftmaxKeys(T int) int {
	if T > WholeRow {
		return KeyBlock
	}
	return T
}

// AttentionSlot is one worker's part of Attention.
func AttentionSlot(T int) int64 { return int64(QueryBlock) * int64(Stride(SoftmaxKeys(T))) }

// Attention is a block of scores for each worker.
func Attention(T, workers int) int64 { return int64(workers) * AttentionSlot(T) }

// AttentionGradSlot is one worker's part of AttentionGrad: scores and their
// gradients, and the probabilities and score gradients transposed.
func AttentionGradSlot() int64 {
	return 2*QueryBlock*int64(GradStride) + 2*GradKeys*QueryBlock
}

// AttentionGrad is a slot for each worker.
func AttentionGrad(workers int) int64 { return int64(workers) * AttentionGradSlot() }

// Head is the logits, inputs and input gradients of one chunk of trained
// positions, of R rows of width C over a vocabulary of V.
func Head(R, C, V int) int64 { return int64(min(R, HeadRows)) * (int64(V) + 2*int64(C)) }

// Result is the chains of a product with a 16-bit result of R rows and N columns.
func Result(R, N int) int64 { return int64(min(R, ResultRows)) * int64(N) }
