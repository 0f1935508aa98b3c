//go:build cuda

package cuda

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/exec"
)

// choosing is a session of the small plan in tf32, with slots for offloading or
// without.
func choosing(e Engine, o exec.Options, slots int) (*session, *plan.Plan, error) {
	p := with(small(slots), "tf32")
	s, err := e.Open(p, o)
	if err != nil {
		return nil, p, err
	}
	return s.(*session), p, nil
}

// chosenRun trains on it and answers what was computed and what was chosen, when
// one algorithm was the fastest.
func chosenRun(t *testing.T, algorithm string, e Engine, o exec.Options, slots int) (map[string][]float32, []byte) {
	t.Helper()
	fastest(t, algorithm)
	s, p, err := choosing(e, o, slots)
	t.Setenv("GRADCUE_SIM_CUBLASLT", "") // what is slow is chosen by now
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.Choices()
	if err != nil {
		t.Fatal(err)
	}
	if n := s.Allocated(); n[ir.Device] != p.Arenas[ir.Device].Bytes {
		t.Errorf("allocated %d, planned %d", n[ir.Device], p.Arenas[ir.Device].Bytes)
	}
	out, err := trained(s, p)
	if q := s.queuedSections(); len(q) > 0 {
		t.Errorf("sections without a graph: %v", q)
	}
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	return out, text
}

// TestChoiceStays: what a run chose first makes its products ever after, though
// another kernel would be faster now, in graphs and without, and wherever results
// are kept. A run that chooses anew has other bits.
func TestChoiceStays(t *testing.T) {
	bits, text := chosenRun(t, "1", withLibrary(), exec.Options{}, 0)
	c, err := decodeChoices(text)
	if err != nil || onSimulator() && (c.ofLibrary() != len(c.List) || c.Library != "12.8.3") {
		t.Fatalf("chosen at first: %v\n%s", err, text)
	}
	for _, algorithm := range []string{"3", "own"} {
		again := exec.Options{Choices: text, Continues: true}
		slow := withLibrary()
		slow.NoGraphs = true
		for _, other := range []struct {
			name  string
			e     Engine
			slots int
		}{{"again", withLibrary(), 0}, {"without graphs", slow, 0}, {"offloading", withLibrary(), 2}} {
			got, kept := chosenRun(t, algorithm, other.e, again, other.slots)
			if d := cmp.Diff(bits, got); d != "" {
				t.Errorf("%s, with algorithm %s the fastest: %s", other.name, algorithm, d)
			}
			if string(kept) != string(text) {
				t.Errorf("%s: the choices change to\n%s", other.name, kept)
			}
		}
		fresh, anew := chosenRun(t, algorithm, withLibrary(), exec.Options{}, 0)
		if onSimulator() && (string(anew) == string(text) || cmp.Equal(fresh, bits)) {
			t.Errorf("a run that chooses anew, with algorithm %s the fastest, chooses the same or has the same bits", algorithm)
		}
	}
}

// TestOwnStays: a run that was begun without the library goes on without it, also
// when it did not write down that it had none.
func TestOwnStays(t *testing.T) {
	bits, text := chosenRun(t, "1", Engine{Library: driver()}, exec.Options{}, 0)
	for name, o := range map[string]exec.Options{"chosen": {Choices: text, Continues: true}, "not written": {Continues: true}} {
		got, kept := chosenRun(t, "1", withLibrary(), o, 0)
		if d := cmp.Diff(bits, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if string(kept) != string(text) {
			t.Errorf("%s: the choices change to\n%s", name, kept)
		}
	}
}

// TestChoiceAdded: a product that a run has not had before is measured when it
// comes, and the others stay; without the library it gets our own kernel.
func TestChoiceAdded(t *testing.T) {
	_, text := chosenRun(t, "1", withLibrary(), exec.Options{}, 0)
	_, own := chosenRun(t, "1", Engine{Library: driver()}, exec.Options{}, 0)
	for _, begun := range [][]byte{text, own} {
		was, err := decodeChoices(begun)
		if err != nil {
			t.Fatal(err)
		}
		fewer := was
		fewer.List = slices.Delete(slices.Clone(was.List), 1, 2)
		short, err := fewer.encode()
		if err != nil {
			t.Fatal(err)
		}
		_, now := chosenRun(t, "3", withLibrary(), exec.Options{Choices: short, Continues: true}, 0)
		is, err := decodeChoices(now)
		if err != nil {
			t.Fatal(err)
		}
		added := was.List[1]
		if was.ofLibrary() > 0 {
			added = is.List[1]
			if added.Product != was.List[1].Product || added.Kernel != libraryKernel || added.Algorithm == was.List[1].Algorithm {
				t.Errorf("added: %+v, which was %+v", added, was.List[1])
			}
		}
		added.Micros = is.List[1].Micros
		fewer.add(added)
		if d := cmp.Diff(fewer, is); d != "" {
			t.Errorf("choices (-want +got):\n%s", d)
		}
	}
}

// TestChoiceGone: a run does not go on with other kernels than it was begun with.
func TestChoiceGone(t *testing.T) {
	_, text := chosenRun(t, "1", withLibrary(), exec.Options{}, 0)
	off := Engine{Library: driver()}
	elsewhere := Engine{Library: driver(), CublasLt: simulatedLibrary + ".old"}
	for _, c := range []struct {
		name, library string
		e             Engine
		text          string
		want          string
	}{
		{"off", "fast=1", off, string(text), "it is not here"},
		{"another file", "fast=1", elsewhere, string(text), "cuBLASLt"},
		{"another version", "fast=1,version=130001", withLibrary(), string(text), "here is cuBLASLt 13.0.1"},
		{"an algorithm is gone", "fast=2,lacks=1", withLibrary(), string(text), "CUBLAS_STATUS_NOT_SUPPORTED"},
		{"another device", "fast=1", withLibrary(), strings.Replace(string(text), `"device": "`, `"device": "not `, 1), "other bits"},
		{"damaged", "fast=1", withLibrary(), string(text[:len(text)/2]), "cannot be read"},
	} {
		t.Setenv("GRADCUE_SIM_CUBLASLT", c.library)
		s, _, err := choosing(c.e, exec.Options{Choices: []byte(c.text), Continues: true}, 0)
		if err == nil {
			t.Errorf("%s: the run goes on: %s", c.name, s.Chosen())
			err = s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
		var choice *exec.ChoiceError
		if !errors.As(err, &choice) || choice.Damaged != (c.name == "damaged") {
			t.Errorf("%s: %#v", c.name, err)
		}
	}
}
