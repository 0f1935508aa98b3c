//go:build cuda

package cuda

/*
#include "cublaslt.h"
*/
import "C"

// matrix is an operand or the result of a product, stored by rows: element (i,k)
// is at at[i·row + k], or at[k·row + i] when across.
type matrix struct {
	at     uint64
	row    int
	across bool
}

// product is what a launch computes, where that is a plain product and a library
// may compute it instead: d[m,n] = Σ_k a(m,k) b(n,k).
type product struct {
	Product
	a, b, d matrix
	bias    uint64   // of n, 0 = none
	ctl     uint64   // not 0: d is continued where the control buffer says so
	add     bool     // d is continued
	then    []Launch // what the launch does after it
}

// moved is the product with its addresses changed.
func (p *product) moved(to func(uint64) uint64) *product {
	q := *p
	q.a.at, q.b.at, q.d.at, q.bias, q.ctl = to(p.a.at), to(p.b.at), to(p.d.at), to(p.bias), to(p.ctl)
	q.then = nil
	for _, l := range p.then {
		q.then = append(q.then, l.moved(to))
	}
	return &q
}

// moved is the launch with what is an address in its parameters changed.
func (l Launch) moved(to func(uint64) uint64) Launch {
	params := make([]uint64, len(l.Params))
	for i, v := range l.Params {
		params[i] = to(v)
	}
	l.Params = params
	return l
}

// adds reports whether the library adds to the result: a control buffer is obeyed
// by clearing it first.
func (p *product) adds() bool { return p.add || p.ctl != 0 }

// clear is the launch before a library's product that starts new where the
// control buffer says so.
func (p *product) clear() Launch {
	n := p.M * p.d.row
	return along("clear_f32", (n+3)/4, 256, p.d.at, p.ctl, n)
}

// shape is the product as the library takes it. Its matrices are column-major, so
// ours are transposes to it, and dᵀ = b·aᵀ is what it computes.
func (p *product) shape() C.gradcue_shape {
	s := C.gradcue_shape{compute: C.CUBLAS_COMPUTE_32F, _type: C.int(elementType(p.Type)), result: C.int(elementType(p.Result)),
		m: C.uint64_t(p.N), n: C.uint64_t(p.M), k: C.uint64_t(p.K), turn_a: flag(!p.b.across), turn_b: flag(p.a.across),
		lda: C.int64_t(p.b.row), ldb: C.int64_t(p.a.row), ldd: C.int64_t(p.d.row), add: flag(p.adds()), bias: C.CUdeviceptr(p.bias)}
	if p.Type == "tf32" {
		s.compute = C.CUBLAS_COMPUTE_32F_FAST_TF32
	}
	return s
}

func flag(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

// elementType is the library's name of a storage type.
func elementType(name string) int {
	switch name {
	case "bf16":
		return C.CUDA_R_16BF
	case "f16":
		return C.CUDA_R_16F
	}
	return C.CUDA_R_32F
}
