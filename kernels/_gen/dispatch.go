package main

import (
	"fmt"
	"strings"
)

// methods writes the methods of ISA that run a row kernel on its tier; without vector tiers they call the plain Go kernel.
func methods(all []row, vector bool) []byte {
	var b strings.Builder
	b.WriteString(header)
	if vector {
		b.WriteString(tag)
	} else {
		b.WriteString("//go:build !amd64\n\n")
	}
	b.WriteString("package cpu\n\n")
	for _, r := range all {
		r.method(&b, vector)
	}
	return source(b.String())
}

// method writes one of them. Slices are cut to the length that counts, so that a short one panics here.
func (r row) method(b *strings.Builder, vector bool) {
	var names []string
	for _, p := range r.params {
		names = append(names, p.name)
	}
	list := strings.Join(names, ", ")
	result, back, leave := "", "", "\n\t\treturn"
	if r.result != nil {
		result, back, leave = " "+r.result.kind.name, "return ", ""
	}
	fmt.Fprintf(b, "// %s runs %s on its tier.\nfunc (u ISA) %s(%s)%s {\n", r.name, r.name, r.name, r.signature(), result)
	if vector {
		var cuts strings.Builder
		for _, p := range r.params {
			if p.kind == slice && p.name != r.over && p.name != "sums" {
				fmt.Fprintf(&cuts, "\t\t%s = %s[:len(%s)]\n", p.name, p.name, r.over)
			}
		}
		if cuts.Len() > 0 {
			fmt.Fprintf(b, "\tif u != Go {\n%s\t}\n", cuts.String())
		}
		b.WriteString("\tswitch u {\n")
		for _, zmm := range []bool{true, false} {
			t := tierSuffix(zmm)
			tiers := t
			if zmm {
				tiers = "AVX512, AVX512BF16"
			}
			fmt.Fprintf(b, "\tcase %s:\n\t\t%s%s%s(%s)%s\n", tiers, back, r.name, t, list, leave)
		}
		b.WriteString("\t}\n")
	}
	fmt.Fprintf(b, "\t%s%s(%s)\n}\n\n", back, r.name, list)
}
