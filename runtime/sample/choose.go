package sample

import (
	"cmp"
	"errors"
	"math"
	"slices"
)

// choice picks ids from logits.
type choice struct {
	temperature float64
	topK        int // 0 = all
	order       []int32
	p           []float64
}

// errLogits says that the model has no opinion.
var errLogits = errors.New("the logits are not finite: the parameters are unusable")

// pick returns an id; u in [0,1) decides among those that are left.
func (c *choice) pick(logits []float32, u float64) (int32, error) {
	for _, v := range logits {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return 0, errLogits
		}
	}
	c.order = c.order[:0]
	for i := range logits {
		c.order = append(c.order, int32(i))
	}
	slices.SortFunc(c.order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(logits[b], logits[a]), cmp.Compare(a, b))
	})
	if c.temperature == 0 {
		return c.order[0], nil
	}
	left := c.order
	if c.topK > 0 {
		left = left[:min(c.topK, len(left))]
	}
	c.p = c.p[:0]
	sum, top := 0.0, float64(logits[left[0]])
	for _, id := range left {
		e := math.Exp((float64(logits[id]) - top) / c.temperature)
		sum += e
		c.p = append(c.p, e)
	}
	u *= sum
	for i, e := range c.p {
		if u -= e; u < 0 {
			return left[i], nil
		}
	}
	return left[len(left)-1], nil
}
