// Package e2e holds the tests that need compiler and engines together: losses
// and gradients against PyTorch's numbers, engines against each other, predicted
// against allocated bytes, and the bit-equality of placements, window splits,
// workers and resumed runs. It has no code of its own.
package e2e
