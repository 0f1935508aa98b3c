package main

import (
	"slices"
	"strings"
)

// settings are the values of the variable GRADCUE, which is read once and is for
// finding mistakes of gradcue, never for experiments:
//
//	GRADCUE=key=value,key=value
//
//	cpu        instruction set of the CPU engine: go, avx2 or avx512, as far as the
//	           machine has it. The default is the widest; avx2 and avx512 give the
//	           same bits, go gives others.
//	libcuda    path of the CUDA driver library. Needs a build with -tags cuda.
//	cublaslt   path of the cuBLASLt library. Needs a build with -tags cuda.
//	arena      one allocation (whole) or one for each buffer (split). This version has whole.
//
// An unknown key or value is an error: a setting that does nothing must not look
// like one that works.
type settings struct {
	cpu   string // "" = the widest of the machine
	arena string
}

// knownSettings is the table above: the values that this version has.
var knownSettings = []struct {
	key    string
	values []string
	needs  string // what is missing when there is no value
}{
	{"cpu", []string{"go", "avx2", "avx512"}, ""},
	{"libcuda", nil, "a build with -tags cuda"},
	{"cublaslt", nil, "a build with -tags cuda"},
	{"arena", []string{"whole"}, ""},
}

func parseSettings(text string) (settings, error) {
	s := settings{arena: "whole"}
	if text == "" {
		return s, nil
	}
	for _, item := range strings.Split(text, ",") {
		key, value, _ := strings.Cut(item, "=")
		if err := checkSetting(key, value); err != nil {
			return s, err
		}
		if key == "cpu" {
			s.cpu = value
		}
	}
	return s, nil
}

func checkSetting(key, value string) error {
	var keys []string
	for _, k := range knownSettings {
		keys = append(keys, k.key)
		switch {
		case k.key != key:
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
