package spec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func mustRead(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// tree returns the files below dir with their content.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		out[filepath.ToSlash(rel)] = mustRead(t, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestVendor writes into an empty folder what Files says, twice, and over a
// copy that is older.
func TestVendor(t *testing.T) {
	want := map[string]string{}
	for _, f := range Files() {
		want[f.Path] = string(f.Data)
	}
	dir := t.TempDir()
	for _, before := range []map[string]string{
		nil, nil,
		{vendorDir + "/spec.cue": "package spec\n", vendorDir + "/old/old.cue": "package old\n"},
	} {
		write(t, dir, before)
		if err := Vendor(dir); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
			t.Fatalf("-want +got:\n%s", diff)
		}
		if l := CheckVendored(dir); len(l) > 0 {
			t.Fatalf("fresh copy: %v", l)
		}
	}
}

func TestVendorKeepsAModule(t *testing.T) {
	dir := t.TempDir()
	module := userMod + "\"v0.16.0\"\n// mine\n"
	write(t, dir, map[string]string{"cue.mod/module.cue": module, "lab/exp.cue": small})
	if err := Vendor(dir); err != nil {
		t.Fatal(err)
	}
	if got := mustRead(t, filepath.Join(dir, "cue.mod/module.cue")); got != module {
		t.Errorf("module.cue became %q", got)
	}
	if code, out := officialCue(t, dir, "vet", "-c", "./..."); code != 0 {
		t.Errorf("cue vet: %s", out)
	}
	if code, out := officialCue(t, dir, "fmt", "--check", "./..."); code != 0 {
		t.Errorf("cue fmt: %s", out)
	}
}

func TestVendorRefuses(t *testing.T) {
	tests := []struct{ name, module, want string }{
		{"our own module", moduleFile, "own module"},
		{"a dependency already", userMod + "\"v0.17.0\"\ndeps: \"" + moduleMajor + "\": v: \"v0.1.0\"\n", "depends on"},
		{"an old language", userMod + "\"v0.13.0\"\n", "too old"},
		{"not CUE", "module: {", "read module"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, map[string]string{"cue.mod/module.cue": tt.module})
			err := Vendor(dir)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
			if diff := cmp.Diff(map[string]string{"cue.mod/module.cue": tt.module}, tree(t, dir)); diff != "" {
				t.Errorf("something was written:\n%s", diff)
			}
		})
	}
}

func TestVendorIntoAFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"cue.mod": "in the way"})
	if err := Vendor(dir); err == nil {
		t.Error("no error where cue.mod is a file")
	}
}

func TestCheckVendored(t *testing.T) {
	dir := t.TempDir()
	if l := CheckVendored(dir); len(l) != 1 || l[0].Code != codeVendor || !l.HasErrors() {
		t.Errorf("no module: %v", l)
	}
	if l := CheckVendored("."); len(l) > 0 {
		t.Errorf("our own module has nothing to compare: %v", l)
	}
	if err := Vendor(dir); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(dir, filepath.FromSlash(vendorDir))
	shapeFile := filepath.Join(copied, "shape", "shape.cue")
	if err := os.WriteFile(shapeFile, []byte(mustRead(t, shapeFile)+"// mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{"exp.cue": small})
	loaded, diags := Load(Options{Dir: dir}, "exp.cue")
	if diff := cmp.Diff([]string{"spec.vendor " + vendorDir + "/shape/shape.cue"}, codes(diags)); diff != "" || len(loaded) != 1 || diags.HasErrors() {
		t.Errorf("a stale copy is a warning; -want +got:\n%s", diff)
	}
	if err := os.Remove(filepath.Join(copied, "spec.cue")); err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{vendorDir + "/extra.cue": "package spec\n"})
	var got []string
	for _, d := range CheckVendored(filepath.Join(dir, "cue.mod")) {
		got = append(got, d.Pos.File+": "+d.Summary)
	}
	want := []string{
		"pkg/" + ImportPath + "/extra.cue: not part of the spec of this gradcue",
		"pkg/" + ImportPath + "/shape/shape.cue: differs from the spec of this gradcue",
		"pkg/" + ImportPath + "/spec.cue: missing from the vendored spec",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
