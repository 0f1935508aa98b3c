package cuda

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func someChoices() Choices {
	c := Choices{Version: choicesVersion, Device: "a GPU", Library: "12.8.3"}
	c.add(Choice{Product: Product{Op: "linear.dw", M: 8, N: 16, K: 24, Type: "bf16", Result: "f32"}, Kernel: ownKernel, Micros: []int{7, 9}})
	c.add(Choice{Product: Product{Op: "linear", M: 24, N: 8, K: 16, Type: "bf16", Result: "bf16", Bias: true}, Kernel: libraryKernel,
		Algorithm: strings.Repeat("0a", algorithmBytes)})
	c.add(Choice{Product: Product{Op: "linear", M: 24, N: 8, K: 16, Type: "bf16", Result: "bf16"}, Kernel: ownKernel})
	return c
}

// TestChoices: what is written is read again, in one order, and found by product.
func TestChoices(t *testing.T) {
	want := someChoices()
	text, err := want.encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := decodeChoices(text)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("read again (-want +got):\n%s", d)
	}
	var names []string
	for _, x := range got.List {
		names = append(names, x.Product.String())
		if f, ok := got.find(x.Product); !ok || f.Kernel != x.Kernel {
			t.Errorf("%s is found as %v, %v", x.Product, f, ok)
		}
	}
	wantNames := []string{"linear 24×8 over 16 in bf16", "linear 24×8 over 16 in bf16 with bias", "linear.dw 8×16 over 24 in bf16"}
	if d := cmp.Diff(wantNames, names); d != "" {
		t.Errorf("order (-want +got):\n%s", d)
	}
	if _, ok := got.find(Product{Op: "linear", M: 24, N: 8, K: 17, Type: "bf16", Result: "bf16"}); ok {
		t.Error("another product is found")
	}
}

// TestChoicesRefused: a file that encode cannot have written is an error.
func TestChoicesRefused(t *testing.T) {
	c := someChoices()
	good, err := c.encode()
	if err != nil {
		t.Fatal(err)
	}
	change := func(from, to string) string { return strings.Replace(string(good), from, to, 1) }
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "EOF"},
		{"another file", `{"name": "x"}`, "unknown field"},
		{"more", string(good) + "{}", "follows"},
		{"another version", change(`"version": 1`, `"version": 2`), "version 2"},
		{"another kernel", change(`"kernel": "own"`, `"kernel": "fast"`), `kernel "fast"`},
		{"no algorithm", change(strings.Repeat("0a", algorithmBytes), ""), "algorithm"},
		{"half an algorithm", change(strings.Repeat("0a", algorithmBytes), "0a0a"), "algorithm"},
		{"no size", change(`"k": 16`, `"k": 0`), "over 0"},
		{"order", change(`"linear.dw"`, `"a"`), "order"},
		{"no library", change(`"library": "12.8.3",`, ``), "no version"},
		{"too long", strings.Repeat(" ", maxChoices+1), "bytes"},
	} {
		if _, err := decodeChoices([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}
