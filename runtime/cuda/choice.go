package cuda

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Product is a matrix product on the tensor cores, M×N elements that are sums
// over K. Equal products of a run are made by equal arithmetic, whatever op they
// are part of, so that a result computed again has the same bits.
type Product struct {
	Op     string `json:"op"` // linear, linear.dx, linear.dw, head.logits, head.dx, head.dw
	M      int    `json:"m"`
	N      int    `json:"n"`
	K      int    `json:"k"`
	Type   string `json:"type"`           // of both operands: bf16, f16, tf32
	Result string `json:"result"`         // storage type of the result
	Bias   bool   `json:"bias,omitempty"` // a vector is added before the result is rounded
}

func (p Product) String() string {
	s := fmt.Sprintf("%s %d×%d over %d in %s", p.Op, p.M, p.N, p.K, p.Type)
	if p.Bias {
		s += " with bias"
	}
	return s
}

func (p Product) compare(q Product) int {
	bias := func(p Product) int {
		if p.Bias {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(p.Op, q.Op), cmp.Compare(p.M, q.M), cmp.Compare(p.N, q.N), cmp.Compare(p.K, q.K),
		cmp.Compare(p.Type, q.Type), cmp.Compare(p.Result, q.Result), cmp.Compare(bias(p), bias(q)))
}

// Choice is what makes a product: our own kernel, or an algorithm of cuBLASLt.
type Choice struct {
	Product
	Kernel    string `json:"kernel"`              // own or cublasLt
	Algorithm string `json:"algorithm,omitempty"` // the 64 bytes of the library, hexadecimal
	Micros    []int  `json:"micros,omitempty"`    // measured when it was chosen: own kernel, then the library's best; a note, never read
}

// Kernels of a Choice.
const (
	ownKernel     = "own"
	libraryKernel = "cublasLt"
)

// choicesVersion is the version of the file.
const choicesVersion = 1

// Choices is what makes the products of a run. It was measured once, before the
// first update, and is the run's from then on: state/kernels.json.
type Choices struct {
	Version int      `json:"version"`
	Device  string   `json:"device"`            // that it was measured on
	Library string   `json:"library,omitempty"` // version of cuBLASLt, where a choice is of it
	List    []Choice `json:"choices"`           // by product
}

// find is the choice for a product.
func (c *Choices) find(p Product) (Choice, bool) {
	i, ok := slices.BinarySearchFunc(c.List, p, func(x Choice, p Product) int { return x.compare(p) })
	if !ok {
		return Choice{}, false
	}
	return c.List[i], true
}

// add puts a choice in its place; there is none for its product.
func (c *Choices) add(x Choice) {
	i, _ := slices.BinarySearchFunc(c.List, x.Product, func(y Choice, p Product) int { return y.compare(p) })
	c.List = slices.Insert(c.List, i, x)
}

// ofLibrary counts the choices that need the library.
func (c *Choices) ofLibrary() (n int) {
	for i := range c.List {
		if c.List[i].Kernel == libraryKernel {
			n++
		}
	}
	return n
}

// encode writes choices; equal choices have equal bytes.
func (c *Choices) encode() ([]byte, error) {
	b, err := json.MarshalIndent(c, "", "  ")
	return append(b, '\n'), err
}

// maxChoices is the size of the longest file that is read.
const maxChoices = 4 << 20

// decodeChoices is the inverse of encode and refuses whatever it cannot have written.
func decodeChoices(text []byte) (c Choices, err error) {
	if len(text) > maxChoices {
		return c, fmt.Errorf("more than %d bytes", maxChoices)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return c, err
	}
	if _, err := d.Token(); err != io.EOF {
		return c, errors.New("something follows the choices")
	}
	if c.Version != choicesVersion {
		return c, fmt.Errorf("version %d, this program reads version %d", c.Version, choicesVersion)
	}
	for i := range c.List {
		if err := c.List[i].valid(); err != nil {
			return c, fmt.Errorf("choice %d: %w", i, err)
		}
		if i > 0 && c.List[i-1].compare(c.List[i].Product) >= 0 {
			return c, fmt.Errorf("choice %d is out of order or there twice", i)
		}
	}
	if c.ofLibrary() > 0 && c.Library == "" {
		return c, errors.New("there are algorithms of cuBLASLt and no version of it")
	}
	return c, nil
}

// algorithmBytes is the length of an algorithm of the library.
const algorithmBytes = 64

func (c *Choice) valid() error {
	b, err := hex.DecodeString(c.Algorithm)
	switch {
	case c.Op == "" || c.M < 1 || c.N < 1 || c.K < 1:
		return fmt.Errorf("%q is %d×%d over %d", c.Op, c.M, c.N, c.K)
	case c.Kernel == ownKernel && c.Algorithm == "":
		return nil
	case c.Kernel == libraryKernel && err == nil && len(b) == algorithmBytes:
		return nil
	}
	return fmt.Errorf("kernel %q with algorithm %q", c.Kernel, c.Algorithm)
}
