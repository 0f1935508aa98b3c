package cuda

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sources returns the names of the .cu files without ending, and the text of all headers.
func sources(t *testing.T) (names []string, headers []byte) {
	t.Helper()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files { // by name
		switch filepath.Ext(f.Name()) {
		case ".cu":
			names = append(names, strings.TrimSuffix(f.Name(), ".cu"))
		case ".cuh":
			headers = append(headers, read(t, f.Name())...)
		}
	}
	return names, headers
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestFresh: every source has its PTX, made of the sources as they are now.
func TestFresh(t *testing.T) {
	names, headers := sources(t)
	modules, err := Modules()
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, m := range modules {
		have = append(have, m.Name)
		sum := sha256.Sum256(append(read(t, m.Name+".cu"), headers...))
		if want := "// sources " + hex.EncodeToString(sum[:]) + "\n"; !strings.HasSuffix(m.PTX, want) {
			t.Errorf("%s.ptx is not of %s.cu and the headers as they are: run kernels/cuda/ptx.sh", m.Name, m.Name)
		}
		arch := "sm_70"
		if bytes.Contains(read(t, m.Name+".cu"), []byte("mma.cuh\"")) {
			arch = "sm_80" // the tensor cores
		}
		if !strings.Contains(m.PTX, ".version 7.0\n.target "+arch+"\n") {
			t.Errorf("%s.ptx is not PTX 7.0 for %s", m.Name, arch)
		}
		if strings.Contains(m.PTX, "call.uni") || strings.Contains(m.PTX, ".local") {
			t.Errorf("%s.ptx has calls or arrays in local memory", m.Name)
		}
	}
	if !slices.Equal(have, names) {
		t.Errorf("PTX of %v, sources %v", have, names)
	}
}

// TestCompiled: where the compiler is, it writes the same text to the byte.
func TestCompiled(t *testing.T) {
	modules, err := Modules()
	if err != nil || len(modules) == 0 {
		t.Fatalf("%d modules, %v", len(modules), err)
	}
	if _, err := exec.LookPath("clang-16"); err != nil {
		t.Log("clang-16 is not installed: the text was compared with the hash of its sources only")
		return
	}
	dir := t.TempDir()
	if out, err := exec.Command("./ptx.sh", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, m := range modules {
		if string(read(t, filepath.Join(dir, m.Name+".ptx"))) != m.PTX {
			t.Errorf("%s.ptx differs from what clang-16 writes: run kernels/cuda/ptx.sh", m.Name)
		}
	}
}

// TestEntries: names of entry points are unique, and each is made known to the host build.
func TestEntries(t *testing.T) {
	modules, err := Modules()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, m := range modules {
		if len(m.Entries) == 0 {
			t.Errorf("%s.ptx has no entry point", m.Name)
		}
		text := string(read(t, m.Name+".cu"))
		for _, include := range regexp.MustCompile(`#include "(.*)"`).FindAllStringSubmatch(text, -1) {
			if include[1] != "gp.cuh" { // which defines the two
				text += string(read(t, include[1])) // a macro there may make entry points
			}
		}
		if kernels, known := strings.Count(text, "GP_KERNEL("), strings.Count(text, "GP_REGISTER("); kernels != known {
			t.Errorf("%s.cu has %d kernels and registers %d", m.Name, kernels, known)
		}
		for _, e := range m.Entries {
			if !regexp.MustCompile(`^[a-z0-9_]+$`).MatchString(e) {
				t.Errorf("%s.ptx: entry point %q", m.Name, e)
			}
			if other, ok := seen[e]; ok {
				t.Errorf("%s is in %s.ptx and in %s.ptx", e, other, m.Name)
			}
			seen[e] = m.Name
		}
	}
}
