package kerneltest

import (
	"reflect"
	"testing"

	"github.com/gradcue/gradcue/kernels/cpu"
)

// on is a Par on an instruction set.
type on struct {
	cpu.Par
	isa cpu.ISA
}

// ISA returns the instruction set.
func (p on) ISA() cpu.ISA { return p.isa }

// Scratch returns memory that holds nothing: NaN, so that a kernel that reads what it did not write is found.
func (p on) Scratch(int) []float32 { return unwritten(cpu.ScratchLen) }

// On returns kernels that run k on the instruction set u: whatever Par a case uses, they hand it on as one of that tier.
func On(k Kernels, u cpu.ISA) Kernels {
	par := reflect.TypeFor[cpu.Par]()
	v := reflect.ValueOf(&k).Elem()
	for i := range v.NumField() {
		f := v.Field(i)
		if f.IsNil() || f.Type().In(0) != par {
			continue
		}
		inner := reflect.ValueOf(f.Interface())
		f.Set(reflect.MakeFunc(f.Type(), func(args []reflect.Value) []reflect.Value {
			args[0] = reflect.ValueOf(on{args[0].Interface().(cpu.Par), u})
			return inner.Call(args)
		}))
	}
	return k
}

// Tiers are the instruction sets of this machine.
func Tiers() []cpu.ISA {
	var all []cpu.ISA
	for u := cpu.Go; u <= cpu.Detect(); u++ {
		all = append(all, u)
	}
	return all
}

// Equal holds two sets of kernels against each other: every output of every case, to the bit.
func Equal(t *testing.T, a, b Kernels) {
	t.Helper()
	for _, c := range Cases() {
		t.Run(c.Name, func(t *testing.T) {
			for _, f := range equalBits("kernels", c.run(a, cpu.Serial{}), c.run(b, cpu.Serial{})) {
				t.Error(f)
			}
		})
	}
}
