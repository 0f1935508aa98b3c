package spec

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	cuecmd "cuelang.org/go/cmd/cue/cmd"
)

// asCue makes the test binary the official cue command of the library's version.
const asCue = "SPEC_TEST_AS_CUE"

func TestMain(m *testing.M) {
	if os.Getenv(asCue) != "" {
		os.Exit(cuecmd.Main())
	}
	os.Exit(m.Run())
}

// officialCue runs the official cue in dir without a registry, a cache or a
// configuration, and returns its exit code and both outputs.
func officialCue(t *testing.T, dir string, args ...string) (int, string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	cmd := exec.Command(exe, args...)
	cmd.Dir = dir
	cmd.Env = []string{
		asCue + "=1", "HOME=" + home, "CUE_REGISTRY=none",
		"CUE_CACHE_DIR=" + filepath.Join(home, "cache"), "CUE_CONFIG_DIR=" + filepath.Join(home, "config"),
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String()
}
