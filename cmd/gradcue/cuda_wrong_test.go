//go:build cuda

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const tinySpec = `package tiny

import "github.com/gradcue/gradcue/spec"

experiment: spec.#Experiment & {
	name: "tiny"
	model: spec.#GPT2 & {layers: 2, heads: 2, headDim: 4, vocab: 256, context: 8}
	data: train: ["tiny.txt"]
	window: {microBatches: 2, microBatchSize: 1, seqLen: 8}
	optimizer: lr: 4e-3
	schedule: {kind: "cosine", updates: 5, warmup: 1}
	save: every: 2
}
`

// simulator is a driver that make sim made.
func simulator(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("GRADCUE_TEST_SIM")
	if folder == "" {
		folder = "../../bin/sim"
	}
	path, err := filepath.Abs(filepath.Join(folder, "libcuda-sim.so"))
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Fatalf("the simulated driver is missing, run make sim: %v", err)
	}
	return path
}

// tiny is a folder with an experiment of a second.
func tiny(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{"tiny.cue": tinySpec, "tiny.txt": strings.Repeat("the tide came in and the tide went out. ", 40)}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := gradcueIn(dir, nil, "init", "--vendor"); err != 0 {
		t.Fatalf("init: %d\n%s", err, out)
	}
	return dir
}

// gradcueIn runs the command in a folder and is what it printed and its exit code.
func gradcueIn(dir string, env []string, args ...string) (string, int) {
	c := exec.Command("gradcue", args...)
	c.Dir = dir
	c.Env = append(append(os.Environ(), "HOME="+dir, "GITHUB_ACTIONS="), env...)
	out, err := c.CombinedOutput()
	var x *exec.ExitError
	switch {
	case errors.As(err, &x):
		return string(out), x.ExitCode()
	case err != nil:
		return err.Error(), -1
	}
	return string(out), 0
}

var parametersLine = regexp.MustCompile(`parameters +sha256 (\w+)`)

func parametersOf(out string) string {
	m := parametersLine.FindStringSubmatch(out)
	if m == nil {
		return "none in " + out
	}
	return m[1]
}

// TestWrongDevice: what the driver and the device lack is exit code 2, with what
// to do.
func TestWrongDevice(t *testing.T) {
	dir, lib := tiny(t), simulator(t)
	for sim, want := range map[string]string{
		"ptx=62":         "the driver supports CUDA 9.2, the kernels of embed need CUDA 11.0 (PTX 7.0)",
		"capability=75":  "compute capability 7.5, the plan is for 8.0 or more",
		"memory=3290000": "these would fit: ",
		"memory=3000000": "no placement fits: the smallest, checkpointing",
		"memory=3400000": "no device memory is left for the kernels",
		"pinned=100000":  "4.00 MiB of pinned host memory",
	} {
		out, code := gradcueIn(dir, []string{"GRADCUE=libcuda=" + lib, "GRADCUE_SIM=" + sim}, "run", ".", "--engine", "cuda")
		if code != 2 || !strings.Contains(out, want) || !strings.Contains(out, "help: ") || strings.Contains(out, "goroutine") {
			t.Errorf("%s: exit code %d, want 2 and %q:\n%s", sim, code, want, out)
		}
	}
}

// TestDeviceLost: the device is lost somewhere in a run. The exit code is 3, the
// message says what is saved, nothing half-written stays, and the same command
// goes on to the bits of a run that was not interrupted.
func TestDeviceLost(t *testing.T) {
	dir, lib := tiny(t), simulator(t)
	run := func(sim, name string) (string, int) {
		return gradcueIn(dir, []string{"GRADCUE=libcuda=" + lib, "GRADCUE_SIM=" + sim}, "run", ".", "--engine", "cuda", "-o", name)
	}
	whole, code := run("", "whole")
	if code != 0 {
		t.Fatalf("exit code %d:\n%s", code, whole)
	}
	events, err := os.ReadFile(filepath.Join(dir, "whole", "events.jsonl"))
	if err != nil || !strings.Contains(whole, "reserved ") || !strings.Contains(string(events), `"memory":{"allocated":`) || strings.Contains(whole, "no graph") {
		t.Errorf("memory beside the arenas is not reported: %v\n%s\n%s", err, whole, events)
	}
	want, told := parametersOf(whole), map[string]int{}
	for _, sim := range []string{"fail=200", "fail=330", "fail=460", "fail=570", "fail=650", "fail=720", "fault=100", "fault=800", "fault=1300"} {
		out, code := run(sim, sim)
		if code != 3 || !strings.Contains(out, "the device is lost") || strings.Contains(out, "goroutine") {
			t.Errorf("%s: exit code %d, want 3:\n%s", sim, code, out)
			continue
		}
		switch {
		case strings.Contains(out, "is saved; the same command goes on from there"):
			told["saved"]++
		case strings.Contains(out, "nothing is saved yet; the same command begins again"):
			told["nothing"]++
		default:
			t.Errorf("%s: it does not say what is saved:\n%s", sim, out)
		}
		states, err := os.ReadDir(filepath.Join(dir, sim, "state"))
		if err != nil && !os.IsNotExist(err) {
			t.Error(err)
		}
		for _, s := range states {
			if !strings.HasPrefix(s.Name(), "u") {
				t.Errorf("%s: %s is left in the folder of states", sim, s.Name())
			}
		}
		if out, code := run("", sim); code != 0 || parametersOf(out) != want {
			t.Errorf("%s: then exit code %d, parameters %s, want %s\n%s", sim, code, parametersOf(out), want, out)
		}
	}
	if told["saved"] < 3 || told["nothing"] < 1 {
		t.Errorf("the messages were of kind %v", told)
	}
}
