//go:build cuda

package cuda

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gradcue/gradcue/compiler/ir"
	kernels "github.com/gradcue/gradcue/kernels/cuda"
	"github.com/gradcue/gradcue/runtime/exec"
)

// surroundings opens a plan and is what came of it: the error, with the advice.
func surroundings() string {
	p := small(2)
	s, err := open(p, exec.Options{}, Engine{Library: driver()}, mustModules(), &table)
	if err == nil {
		return fmt.Sprint("open ", s.Close())
	}
	var can interface{ Advice() string }
	if errors.As(err, &can) {
		return err.Error() + " | " + can.Advice()
	}
	return err.Error()
}

// TestSurroundings: what the driver and the device lack is said in one line, with
// what was found, what is needed and what to do.
func TestSurroundings(t *testing.T) {
	for settings, want := range map[string][]string{
		"":                  {"open <nil>"},
		"capability=90":     {"open <nil>"},
		"ptx=70":            {"open <nil>"},
		"ptx=62":            {"the driver supports CUDA 9.2, the kernels of", "CUDA error 222", "install a newer driver"},
		"capability=61":     {"compute capability 6.1, the plan is for 8.0 or more", "CUDA_VISIBLE_DEVICES"},
		"memory=2500000":    {"KiB of device memory, ", " of 2.38 MiB are free: ", " are missing", "recompute or offload more"},
		"memory=1000":       {"retain the primary context", "nvidia-smi"},
		"pinned=1000000":    {"4.00 MiB of pinned host memory", "offload less"},
		"speed=1":           {"cuInit"},
		"memory=1073741824": {"open <nil>"},
	} {
		got := strings.TrimSpace(child(t, "surroundings", plainDriver, settings))
		for _, w := range want {
			if line := lastLine(got); !strings.Contains(line, w) {
				t.Errorf("%s: %q, want %q", settings, line, w)
			}
		}
	}
}

// TestModules: a module that the driver does not take is named, with what it is
// for and what the driver's compiler says, in one line.
func TestModules(t *testing.T) {
	for ptx, want := range map[string][]string{
		".version 7.0\n.target sm_99\n": {"the kernels of new, which are for sm_99"},
		".version 9.9\n.target sm_80\n": {"kernels of new need a later CUDA (PTX 9.9)", "CUDA error 222"},
		"nothing\n":                     {"the kernels of new"},
	} {
		err := onRig(driver(), func(*rig) error {
			_, err := loadModule(&kernels.Module{Name: "new", PTX: ptx})
			return err
		})
		for _, w := range want {
			if err == nil || !strings.Contains(err.Error(), w) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: %v, want one line with %q", ptx, err, w)
			}
		}
	}
}

// lastLine is what the program says after what the driver has printed.
func lastLine(s string) string { return s[strings.LastIndexByte(s, '\n')+1:] }

// lost trains until the device is lost and is what the session says then: that
// every later call repeats the first error, and that closing ends.
func lost() string {
	p := small(2)
	s, err := open(p, exec.Options{}, Engine{Library: driver()}, mustModules(), &table)
	if err != nil {
		return "at open: " + err.Error()
	}
	_, err = trained(s, p)
	if err == nil {
		return fmt.Sprint("not lost ", s.Close())
	}
	var broken *BrokenError
	if !errors.As(err, &broken) || !broken.Lost() {
		return "not a BrokenError: " + err.Error()
	}
	in := p.Run.Inputs
	again := []error{s.Run(context.Background(), ir.Micro), s.Write(in.IDs, make([]int32, size(p.Buffers[in.IDs].Shape))),
		s.Read(in.TokenLoss, make([]float32, size(p.Buffers[in.TokenLoss].Shape)))}
	for i, e := range again {
		if !errors.Is(e, broken) {
			return fmt.Sprintf("call %d afterwards: %v", i, e)
		}
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		return "close: " + err.Error()
	}
	return "broken: " + broken.Error()
}

func size(shape []int) int {
	n := 1
	for _, m := range shape {
		n *= m
	}
	return n
}

// TestLost: the device is lost at any call or after any operation, in graphs; the
// error says where, and stays.
func TestLost(t *testing.T) {
	settings := []string{"fault=1", "fault=2", "fault=40", "fault=333,delay=20"}
	for n := 1; n < 4000; n = n*3/2 + 1 {
		settings = append(settings, fmt.Sprintf("fail=%d", n))
	}
	seen := map[string]int{}
	for _, s := range settings {
		got := lastLine(strings.TrimSpace(child(t, "lost", plainDriver, s)))
		kind, rest, _ := strings.Cut(got, ":")
		seen[kind]++
		if kind == "broken" && !strings.Contains(rest, "the device is lost") {
			t.Errorf("%s: %q does not say what the driver says", s, got)
		}
		if kind != "broken" && kind != "at open" && got != "not lost <nil>" {
			t.Errorf("%s: %q", s, got)
		}
	}
	if seen["broken"] < 8 || seen["at open"] < 4 {
		t.Errorf("of %d settings, what happened: %v", len(settings), seen)
	}
}

// TestAccounts: what the driver takes beside the arenas is reported apart, grows
// with modules and graphs, and the arenas stay what was planned.
func TestAccounts(t *testing.T) {
	p := small(2)
	var reserved [2]int64
	for i, e := range []Engine{{Library: driver()}, {Library: driver(), NoGraphs: true}} {
		s, err := e.Open(p, exec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		opened := s.(exec.Accountant).Accounts()
		if opened.At != "open" || opened.Reserved <= 0 || opened.Pinned != bounceBytes {
			t.Errorf("after open: %+v", opened)
		}
		if _, err := trained(s, p); err != nil {
			t.Fatal(err)
		}
		a := s.(exec.Accountant).Accounts()
		reserved[i] = a.Reserved
		if n := s.Allocated(); n[ir.Device] != p.Arenas[ir.Device].Bytes || a.Reserved < opened.Reserved {
			t.Errorf("allocated %v, accounts %+v after %+v", n, a, opened)
		}
		if !e.NoGraphs && !strings.HasPrefix(a.At, "first run of ") {
			t.Errorf("graphs took nothing: %+v", a)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if reserved[0] <= reserved[1] {
		t.Errorf("reserved with graphs %d, without %d", reserved[0], reserved[1])
	}
}
