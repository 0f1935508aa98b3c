//go:build cuda

package cuda

import (
	"fmt"
	"os"
	"testing"
)

// The drivers of the tests, made by `make sim`. GRADCUE_TEST_LIBCUDA names
// another one, such as libcuda.so.1 on a machine with a GPU.
const (
	plainDriver = "../../bin/sim/libcuda-sim.so"
	checkDriver = "../../bin/sim/libcuda-sim-check.so"
)

// driver is the library under test.
func driver() string {
	if l := os.Getenv("GRADCUE_TEST_LIBCUDA"); l != "" {
		return l
	}
	return plainDriver
}

// TestMain is also the program that TestFaults starts: an error of the device
// stays for the rest of a process.
func TestMain(m *testing.M) {
	if name := os.Getenv("GRADCUE_FAULT"); name != "" {
		fmt.Println(commit(name))
		return
	}
	for _, l := range []string{plainDriver, checkDriver} {
		if _, err := os.Stat(l); err != nil {
			fmt.Println("the simulated driver is missing, run make sim:", err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}
