package main

import (
	"slices"
	"strings"

	"github.com/gradcue/gradcue/runtime/cuda"
)

// settings are the values of the variable GRADCUE, which is read once and is for
// finding mistakes of gradcue, never for experiments:
//
//	GRADCUE=key=value,key=value
//
//	cpu        instruction set of the CPU engine: go, avx2, avx512 or avx512bf16,
//	           as far as the machine has it. The default is the widest; avx2 and avx512 give the
//	           same bits, go gives others.
//	libcuda    path of the CUDA driver library. Needs a build with -tags cuda.
//	cublaslt   path of the cuBLASLt library, or off: kernels of our own only. Without
//	           it one is looked for. Needs a build with -tags cuda.
//	arena      one allocation (whole) or one for each buffer (split). Only the engine cuda
//	           has split.
//	graphs     on, or off: the engine cuda queues every command each time instead
//	           of launching a graph of the section.
//
// An unknown key or value is an error: a setting that does nothing must not look
// like one that works.
type settings struct {
	cpu     string // "" = the widest of the machine
	libcuda string // "" = the system's
	lt      string // path of cuBLASLt, or off; "" = looked for
	split   bool   // arena=split
	queued  bool   // graphs=off
}

// setting is one row of the table above.
type setting struct {
	key    string
	values []string // what this version has
	path   bool     // any value is taken
	needs  string   // what is missing when there is no value
}

// knownSettings is the table above, for this binary.
func knownSettings() []setting {
	arenas, graphs := []string{"whole"}, []string(nil)
	if cuda.Built {
		arenas, graphs = append(arenas, "split"), []string{"on", "off"}
	}
	return []setting{
		{key: "cpu", values: []string{"go", "avx2", "avx512", "avx512bf16"}},
		{key: "libcuda", path: cuda.Built, needs: "a build with -tags cuda"},
		{key: "cublaslt", path: cuda.Built, needs: "a build with -tags cuda"},
		{key: "arena", values: arenas},
		{key: "graphs", values: graphs, needs: "a build with -tags cuda"},
	}
}

func parseSettings(text string) (settings, error) {
	var s settings
	if text == "" {
		return s, nil
	}
	for _, item := range strings.Split(text, ",") {
		key, value, _ := strings.Cut(item, "=")
		if err := checkSetting(key, value); err != nil {
			return s, err
		}
		switch key {
		case "cpu":
			s.cpu = value
		case "libcuda":
			s.libcuda = value
		case "cublaslt":
			s.lt = value
		case "arena":
			s.split = value == "split"
		case "graphs":
			s.queued = value == "off"
		}
	}
	return s, nil
}

func checkSetting(key, value string) error {
	var keys []string
	for _, k := range knownSettings() {
		keys = append(keys, k.key)
		switch {
		case k.key != key:
		case k.path && value == "":
			return usage("GRADCUE: %s needs a path", key)
		case k.path:
			return nil
		case k.values == nil:
			return usage("GRADCUE: %s needs %s", key, k.needs)
		case !slices.Contains(k.values, value):
			return usage("GRADCUE: %s=%s is not known; this version has %s", key, value, strings.Join(k.values, ", "))
		default:
			return nil
		}
	}
	return usage("GRADCUE: unknown key %q; the keys are %s", key, strings.Join(keys, ", "))
}
