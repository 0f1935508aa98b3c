package spec

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTags(t *testing.T) {
	const file = "testdata/right/tags/exp.cue"
	tests := []struct {
		tags   []string
		layers int64
		lr     float64
		by     string
		want   []string
	}{
		{nil, 2, 3e-4, "loss", nil},
		{[]string{"lr=1e-4", "layers=3"}, 3, 1e-4, "loss", nil},
		{[]string{"data"}, 2, 3e-4, "data", nil},
		{[]string{"shift=data"}, 2, 3e-4, "data", nil},
		{[]string{"foo"}, 0, 0, "", []string{"spec.tag  (world)"}},
		{[]string{"lr=fast"}, 0, 0, "", []string{"spec.tag  (world)"}},
		{[]string{"lr=3"}, 0, 0, "", []string{"spec.value " + file}},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.tags), func(t *testing.T) {
			loaded, diags := Load(Options{Tags: tt.tags}, file)
			if diff := cmp.Diff(tt.want, codes(diags)); diff != "" {
				t.Fatalf("-want +got:\n%s%+v", diff, diags)
			}
			if tt.want != nil {
				return
			}
			e := loaded[0].Experiment
			if e.Model.Layers != tt.layers || e.Optimizer.LR != tt.lr || e.Mask.Shift.By != tt.by {
				t.Errorf("got %d layers, lr %g, shift %s", e.Model.Layers, e.Optimizer.LR, e.Mask.Shift.By)
			}
		})
	}
}

// TestColumnsCountCharacters has letters of two bytes before the mistake.
func TestColumnsCountCharacters(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"exp.cue": strings.Replace(small, "optimizer: lr:     1e-3", "device: name: \"größe\", optimizer: lr: 3", 1)})
	_, diags := Load(Options{Dir: dir}, "exp.cue")
	if len(diags) != 1 {
		t.Fatal(diags)
	}
	if got := []int{diags[0].Pos.Line, diags[0].Pos.Col, diags[0].End.Col}; !slices.Equal(got, []int{9, 36, 41}) {
		t.Errorf("got line, column and end %v", got)
	}
}

// TestHashIsOfTheMeaning compares files that differ in writing only, and in meaning.
func TestHashIsOfTheMeaning(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"a.cue": small,
		"b.cue": strings.Replace(strings.Replace(small, "1e-3", "0.001", 1), "layers: 2", "// two\n\t\tlayers: 1 + 1, dModel: 32", 1),
		"c.cue": strings.Replace(small, "1e-3", "2e-3", 1),
	})
	loaded, diags := Load(Options{Dir: dir}, "a.cue", "b.cue", "c.cue")
	if len(loaded) != 3 {
		t.Fatal(diags)
	}
	if loaded[0].Hash != loaded[1].Hash || loaded[0].Hash == loaded[2].Hash || len(loaded[0].Hash) != 64 {
		t.Errorf("got %s, %s, %s", loaded[0].Hash, loaded[1].Hash, loaded[2].Hash)
	}
}

// TestManyPackages loads more packages than there are workers, in order.
func TestManyPackages(t *testing.T) {
	dir := t.TempDir()
	var args []string
	for i := range 12 {
		name := fmt.Sprintf("run%02d.cue", i)
		write(t, dir, map[string]string{name: strings.Replace(small, `"small"`, fmt.Sprintf(`"run%d"`, i), 1)})
		args = append(args, name)
	}
	loaded, diags := Load(Options{Dir: dir}, args...)
	if len(loaded) != 12 || len(diags) > 0 {
		t.Fatal(len(loaded), diags)
	}
	for i, l := range loaded {
		if want := fmt.Sprintf("run%d", i); l.Experiment.Name != want {
			t.Errorf("experiment %d is %s", i, l.Experiment.Name)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if loaded, diags := Load(Options{}, "testdata/right/gpt2/exp.cue"); len(loaded) != 1 {
			b.Fatal(diags)
		}
	}
}
