package tramp

import (
	"fmt"
	"regexp"
	"strings"
)

// entry is one function of the driver.
type entry struct {
	symbol string // what dlsym is asked for
	params string // as declared
	types  string // of the parameters
	names  string // of the parameters
}

var (
	renameLine   = regexp.MustCompile(`(?m)^#define (cu\w+) (cu\w+)$`)
	functionLine = regexp.MustCompile(`(?m)^CUresult (cu\w+)\((.*)\);$`)
	parameter    = regexp.MustCompile(`^(.*?)(\w+)$`)
)

// entries reads the functions of the header in its order.
func entries(header string) (list []entry, err error) {
	renamed := map[string]string{}
	for _, m := range renameLine.FindAllStringSubmatch(header, -1) {
		renamed[m[1]] = m[2]
	}
	for _, m := range functionLine.FindAllStringSubmatch(header, -1) {
		e := entry{symbol: m[1], params: m[2]}
		if s, ok := renamed[m[1]]; ok {
			e.symbol = s
		}
		if e.types, e.names, err = split(m[2]); err != nil {
			return nil, fmt.Errorf("%s: %w", m[1], err)
		}
		list = append(list, e)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("the header declares no function `CUresult cu…(…);` on a line of its own")
	}
	return list, nil
}

// split takes a parameter list apart into its types and its names.
func split(params string) (types, names string, err error) {
	if params == "void" {
		return "void", "", nil
	}
	var ts, ns []string
	for _, p := range strings.Split(params, ",") {
		m := parameter.FindStringSubmatch(strings.TrimSpace(p))
		if m == nil || strings.TrimSpace(m[1]) == "" {
			return "", "", fmt.Errorf("parameter %q has no type or no name", strings.TrimSpace(p))
		}
		ts, ns = append(ts, strings.TrimSpace(m[1])), append(ns, m[2])
	}
	return strings.Join(ts, ", "), strings.Join(ns, ", "), nil
}

// Generate is the text of tramp.c for the header. Each function that it forwards
// must stand in the header on a line of its own; an error names the one that
// cannot be read.
func Generate(header string) (string, error) {
	list, err := entries(header)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(head)
	b.WriteString("enum {\n")
	for _, e := range list {
		fmt.Fprintf(&b, "\ti_%s,\n", e.symbol)
	}
	b.WriteString("\tn_symbols\n};\n\nstatic const char *const symbols[n_symbols] = {\n")
	for _, e := range list {
		fmt.Fprintf(&b, "\t\"%s\",\n", e.symbol)
	}
	b.WriteString("};\n\nstatic void *bound[n_symbols];\n")
	b.WriteString(open)
	for _, e := range list {
		e.write(&b)
	}
	return b.String(), nil
}

func (e entry) write(b *strings.Builder) {
	missing := "missing()"
	if e.symbol == "cuInit" {
		missing = "(library ? missing() : CUDA_SUCCESS)"
	}
	fmt.Fprintf(b, "\nHIDDEN CUresult %s(%s)\n{\n\tCUresult (*f)(%s) = (CUresult (*)(%s))bound[i_%s];\n\treturn f ? f(%s) : %s;\n}\n",
		e.symbol, e.params, e.types, e.types, e.symbol, e.names, missing)
}

const head = `// Code generated from cuda.h by package tramp. DO NOT EDIT.

//go:build cuda

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include "cuda.h"
#include "driver.h"

#define HIDDEN __attribute__((visibility("hidden")))

`

const open = `
static void *library;
static char failure[512];

static CUresult missing(void)
{
	return library ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_NOT_INITIALIZED;
}

HIDDEN const char *gradcue_bind(const char *path)
{
	if (library)
		return NULL;
	void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!lib) {
		snprintf(failure, sizeof failure, "%s", dlerror());
		return failure;
	}
	if (!dlsym(lib, "cuInit")) {
		snprintf(failure, sizeof failure, "%s: it has no function cuInit, so it is no CUDA driver", path);
		dlclose(lib);
		return failure;
	}
	for (int i = 0; i < n_symbols; i++)
		bound[i] = dlsym(lib, symbols[i]);
	library = lib;
	return NULL;
}

HIDDEN void *gradcue_symbol(const char *name)
{
	return library ? dlsym(library, name) : NULL;
}
`
