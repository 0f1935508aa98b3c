package tramp

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFresh compares tramp.c with what the generator makes of cuda.h.
func TestFresh(t *testing.T) {
	header, err := os.ReadFile("../../cuda.h")
	if err != nil {
		t.Fatal(err)
	}
	want, err := Generate(string(header))
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE") == "1" {
		if err := os.WriteFile("../../tramp.c", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("../../tramp.c")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Errorf("tramp.c is not what cuda.h says, run UPDATE=1 go test ./runtime/cuda/internal/tramp:\n%s", d)
	}
}

func TestEntries(t *testing.T) {
	got, err := entries("#define cuB cuB_v2\nCUresult cuA(void);\nint cuSkipped(int x);\nCUresult cuB(const void *p, size_t n);\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []entry{{"cuA", "void", "void", ""}, {"cuB_v2", "const void *p, size_t n", "const void *, size_t", "p, n"}}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(entry{})); d != "" {
		t.Errorf("entries (-want +got):\n%s", d)
	}
}

func TestUnreadableHeader(t *testing.T) {
	for header, want := range map[string]string{
		"":                          "declares no function",
		"CUresult cuA(int);\n":      "cuA",
		"CUresult cuA(int x, *);\n": `"*"`,
	} {
		if _, err := Generate(header); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Generate(%q): %v, want an error with %s", header, err, want)
		}
	}
}
