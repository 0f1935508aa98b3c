package state

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/data"
	"github.com/gradcue/gradcue/runtime/weights"
	"github.com/gradcue/gradcue/spec/diag"
)

func testPlan(t testing.TB, change func(*plan.Plan)) *plan.Plan {
	p := &plan.Plan{Version: plan.Version, Name: "exp", Target: "cpu", Workers: 1}
	p.Run.Seed = 3
	p.Run.Window = plan.Window{MicroBatches: 2, BatchSize: 4, SeqLen: 8, Last: "carry", Empty: "skip"}
	p.Run.Optimizer = plan.Optimizer{Kind: "adamw", LR: 0.01}
	if change != nil {
		change(p)
	}
	if err := plan.Seal(p); err != nil {
		t.Fatal(err)
	}
	return p
}

func sample(u int) State {
	loss := 2.5
	return State{Identity: "id", Engine: "cpu", U: u, Windows: u + 3, Skipped: 2, Streak: 1, Empty: 1, Cursor: data.Cursor{Epoch: 1, Row: 7},
		Scale: 1, Trained: 100, Loss: &loss, Data: Data{Rows: 9, Tokens: 36, SHA256: "ab"}}
}

func openFolder(t *testing.T, dir string) *Folder {
	t.Helper()
	f, l := Open(dir, testPlan(t, nil), nil, Env{})
	if l.HasErrors() {
		t.Fatalf("open: %+v", l)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func save(t *testing.T, f *Folder, u, keep int) string {
	t.Helper()
	dir, err := f.Save(sample(u), []weights.Tensor{{Name: "w", DType: weights.F32, Shape: []int{2}}},
		func(w *weights.Writer) error { return w.F32([]float32{float32(u), 1}) }, keep)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// names lists what is in the folder of states.
func names(t *testing.T, f *Folder) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(f.Dir, statesName))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestSaveAndLoad(t *testing.T) {
	f := openFolder(t, filepath.Join(t.TempDir(), "runs", "exp"))
	if !f.Fresh {
		t.Error("a new folder is not fresh")
	}
	if s, _, l := Load(f.Dir, ""); s != nil || l != nil {
		t.Errorf("a folder without states gives %v, %v", s, l)
	}
	for u := 5; u <= 20; u += 5 {
		save(t, f, u, 2)
	}
	if diff := cmp.Diff([]string{"u00000015", "u00000020"}, names(t, f)); diff != "" {
		t.Errorf("two are kept: -want +got:\n%s", diff)
	}
	s, damaged, l := Load(f.Dir, "id")
	if s == nil || len(damaged)+len(l) != 0 {
		t.Fatalf("load: %v, %v", damaged, l)
	}
	defer s.Close()
	want := sample(20)
	want.Version, want.Tensors, want.Check = Version, s.Tensors, s.Check
	if diff := cmp.Diff(want, s.State); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	w := make([]float32, 2)
	if err := s.File.ReadF32("w", w); err != nil || w[0] != 20 {
		t.Errorf("tensor %v, %v", w, err)
	}
}

func TestSameUpdateIsReplaced(t *testing.T) {
	f := openFolder(t, t.TempDir())
	a := save(t, f, 5, 1)
	first, err := os.ReadFile(filepath.Join(a, stateName))
	if err != nil {
		t.Fatal(err)
	}
	save(t, f, 5, 1)
	second, err := os.ReadFile(filepath.Join(a, stateName))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Error("equal states have other bytes")
	}
	if diff := cmp.Diff([]string{"u00000005"}, names(t, f)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestDamagedFallsBack breaks the newest state in every way a disk can.
func TestDamagedFallsBack(t *testing.T) {
	edit := func(name string, change func([]byte) []byte) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			path := filepath.Join(dir, name)
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, change(b), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	remove := func(name string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	tests := []struct {
		name   string
		damage func(*testing.T, string)
		want   string
	}{
		{"no state.json", remove(stateName), stateName},
		{"no tensors", remove(tensorsName), tensorsName},
		{"empty state.json", edit(stateName, func([]byte) []byte { return nil }), "EOF"},
		{"half a state.json", edit(stateName, func(b []byte) []byte { return b[:len(b)/2] }), "EOF"},
		{"another number", edit(stateName, func(b []byte) []byte { return bytes.Replace(b, []byte(`"row": 7`), []byte(`"row": 8`), 1) }), "does not match its hash"},
		{"unknown field", edit(stateName, func(b []byte) []byte { return bytes.Replace(b, []byte(`"u"`), []byte(`"v"`), 1) }), "unknown field"},
		{"another version", edit(stateName, func(b []byte) []byte { return bytes.Replace(b, []byte(`"version": 1`), []byte(`"version": 2`), 1) }), "version 2"},
		{"short tensors", edit(tensorsName, func(b []byte) []byte { return b[:len(b)-1] }), "bytes, want"},
		{"a flipped bit", edit(tensorsName, func(b []byte) []byte { b[len(b)-1] ^= 1; return b }), "does not match its hash"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := openFolder(t, t.TempDir())
			save(t, f, 5, 9)
			tt.damage(t, save(t, f, 10, 9))
			s, damaged, l := Load(f.Dir, "id")
			if s == nil || s.U != 5 {
				t.Fatalf("the state before was not used: %+v", l)
			}
			s.Close()
			if len(l) != 1 || l[0].Code != "state.damaged" || l[0].Severity != diag.Warning || !strings.Contains(l[0].Summary, tt.want) {
				t.Errorf("got %+v, want one warning with %q", l, tt.want)
			}
			if err := f.SetAside(damaged); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"bad-u00000010", "u00000005"}, names(t, f)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestNothingWholeIsLeft(t *testing.T) {
	f := openFolder(t, t.TempDir())
	dir := save(t, f, 5, 9)
	if err := os.Truncate(filepath.Join(dir, stateName), 3); err != nil {
		t.Fatal(err)
	}
	s, damaged, l := Load(f.Dir, "")
	if s != nil || len(damaged) != 1 || !l.HasErrors() || l.HasWorld() {
		t.Errorf("got %v, %v, %+v, want an error about content", s, damaged, l)
	}
}

func TestStateOfAnotherExperiment(t *testing.T) {
	f := openFolder(t, t.TempDir())
	save(t, f, 5, 9)
	if s, _, l := Load(f.Dir, "other"); s != nil || !l.HasErrors() {
		t.Errorf("a state of another identity was loaded: %+v", l)
	}
}

// TestKilledWhileReplacing: after a kill between the two renames, the state
// that was to be replaced is there again.
func TestKilledWhileReplacing(t *testing.T) {
	dir := t.TempDir()
	f := openFolder(t, dir)
	path := save(t, f, 5, 1)
	root := filepath.Dir(path)
	if err := os.Rename(path, filepath.Join(root, oldPrefix+"u00000005")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, tmpPrefix+"u00000005"), 0o755); err != nil {
		t.Fatal(err)
	}
	f.Close()
	f = openFolder(t, dir)
	if diff := cmp.Diff([]string{"u00000005"}, names(t, f)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	s, _, l := Load(dir, "id")
	if s == nil {
		t.Fatalf("load: %+v", l)
	}
	s.Close()
}

func TestFailedSaveLeavesTheOldState(t *testing.T) {
	f := openFolder(t, t.TempDir())
	save(t, f, 5, 1)
	_, err := f.Save(sample(6), []weights.Tensor{{Name: "w", DType: weights.F32}}, func(*weights.Writer) error { return fmt.Errorf("no space") }, 1)
	if err == nil {
		t.Fatal("the error was lost")
	}
	if diff := cmp.Diff([]string{"u00000005"}, names(t, f)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestLock(t *testing.T) {
	dir := t.TempDir()
	f := openFolder(t, dir)
	_, l := Open(dir, testPlan(t, nil), nil, Env{})
	if len(l) != 1 || l[0].Code != "run.locked" || !l.HasWorld() {
		t.Errorf("got %+v, want run.locked of the world", l)
	}
	f.Close()
	openFolder(t, dir)
}

func TestIdentity(t *testing.T) {
	dir := t.TempDir()
	openFolder(t, dir).Close()
	split := testPlan(t, func(p *plan.Plan) { p.Run.Window.MicroBatches, p.Run.Window.BatchSize = 8, 1 })
	f, l := Open(dir, split, nil, Env{})
	if l.HasErrors() {
		t.Fatalf("another split of the window was refused: %+v", l)
	}
	if p, err := ReadPlan(dir); err != nil || p.Run.Window.MicroBatches != 8 || f.Fresh {
		t.Errorf("the plan in use is not in the folder: %v", err)
	}
	f.Close()
	other := testPlan(t, func(p *plan.Plan) { p.Run.Seed, p.Run.Optimizer.LR = 4, 0.5 })
	_, l = Open(dir, other, nil, Env{})
	if len(l) != 1 || l[0].Code != "run.identity" || l.HasWorld() {
		t.Fatalf("got %+v, want run.identity", l)
	}
	for _, part := range []string{"seed was 3, is 4", "optimizer.lr was 0.01, is 0.5"} {
		if !strings.Contains(l[0].Summary, part) {
			t.Errorf("%q does not say %q", l[0].Summary, part)
		}
	}
}

func TestFolderOfSomebodyElse(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "thesis.tex"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, l := Open(dir, testPlan(t, nil), nil, Env{})
	if len(l) != 1 || l[0].Code != "run.folder" || l.HasWorld() || !strings.Contains(l[0].Summary, "thesis.tex") {
		t.Errorf("got %+v, want run.folder naming the file", l)
	}
	file := filepath.Join(dir, "thesis.tex")
	if _, l = Open(file, testPlan(t, nil), nil, Env{}); !l.HasWorld() {
		t.Errorf("a file as run folder gives %+v", l)
	}
}

func TestDamagedPlan(t *testing.T) {
	dir := t.TempDir()
	openFolder(t, dir).Close()
	if err := os.WriteFile(filepath.Join(dir, PlanName), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, l := Open(dir, testPlan(t, nil), nil, Env{}); len(l) != 1 || l[0].Code != "run.folder" || l.HasWorld() {
		t.Errorf("got %+v, want run.folder", l)
	}
}

func TestDescription(t *testing.T) {
	dir := t.TempDir()
	f, l := Open(dir, testPlan(t, nil), []byte(`{"name":"exp"}`), Env{Go: "go1", Engine: "cpu"})
	if l.HasErrors() {
		t.Fatal(l)
	}
	defer f.Close()
	for name, want := range map[string]string{SpecName: `{"name":"exp"}`, EnvName: `"engine": "cpu"`, PlanName: `"name":"exp"`} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(b), want) {
			t.Errorf("%s: %q, %v, want %q in it", name, b, err, want)
		}
	}
}

func TestEventsAreTerminated(t *testing.T) {
	f := openFolder(t, t.TempDir())
	for _, text := range []string{"{}\n", "{\"torn", "{}\n"} {
		e, err := f.Events()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.WriteString(text); err != nil {
			t.Fatal(err)
		}
		e.Close()
	}
	b, err := os.ReadFile(filepath.Join(f.Dir, EventsName))
	if err != nil || string(b) != "{}\n{\"torn\n{}\n" {
		t.Errorf("got %q, %v", b, err)
	}
}

func TestValid(t *testing.T) {
	for name, change := range map[string]func(*State){
		"negative u": func(s *State) { s.U = -1 }, "negative row": func(s *State) { s.Cursor.Row = -1 },
		"windows": func(s *State) { s.Windows++ }, "streak": func(s *State) { s.Streak = 3 }, "scale": func(s *State) { s.Scale = 0 },
		"trained": func(s *State) { s.Trained = -1 },
	} {
		s := sample(4)
		change(&s)
		s.Version = Version
		b, err := encode(s)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decode(bytes.NewReader(b)); err == nil {
			t.Errorf("%s: a state with the right hash and a wrong number was taken", name)
		}
	}
}

// FuzzDecode: whatever the bytes, decode returns, and what it takes is valid
// and encodes to a state that decodes to itself.
func FuzzDecode(f *testing.F) {
	s := sample(4)
	s.Version = Version
	b, err := encode(s)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"version":1}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := decode(bytes.NewReader(b))
		if err != nil {
			return
		}
		again, err := encode(s)
		if err != nil {
			t.Fatal(err)
		}
		if other, err := decode(bytes.NewReader(again)); err != nil || !cmp.Equal(s, other) {
			t.Errorf("%+v comes back as %+v, %v", s, other, err)
		}
	})
}

// TestOpenAfterEarlyKill: a process that was killed before it had described its
// run leaves an empty folder of states, which is no reason to refuse the folder.
func TestOpenAfterEarlyKill(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{statesName, lockName + ".d"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if _, l := look(dir); !l.HasErrors() {
		t.Error("a folder with something else in it is taken")
	}
	if err := os.Remove(filepath.Join(dir, lockName+".d")); err != nil {
		t.Fatal(err)
	}
	if fresh, l := look(dir); !fresh || l.HasErrors() {
		t.Errorf("fresh %v, findings %v", fresh, l)
	}
	if err := os.WriteFile(filepath.Join(dir, statesName, "x"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, l := look(dir); !l.HasErrors() {
		t.Error("a folder whose states are not ours is taken")
	}
}

// TestKernels: the choice of kernels stays beside the states, which saving and
// opening leave alone.
func TestKernels(t *testing.T) {
	dir := t.TempDir()
	f := openFolder(t, dir)
	if text, err := Kernels(dir); text != nil || err != nil {
		t.Errorf("a new run has %q, %v", text, err)
	}
	if saved, err := f.Saved(); saved || err != nil {
		t.Errorf("a new run has a state: %v", err)
	}
	if err := f.KeepKernels([]byte("{}\n")); err != nil {
		t.Fatal(err)
	}
	save(t, f, 1, 1)
	save(t, f, 2, 1)
	if saved, err := f.Saved(); !saved || err != nil {
		t.Errorf("after saving there is no state: %v", err)
	}
	f.Close()
	openFolder(t, dir)
	if text, err := Kernels(dir); string(text) != "{}\n" || err != nil {
		t.Errorf("opened again it is %q, %v", text, err)
	}
}
