//go:build cuda

package cuda

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// The drivers of the tests, made by `make sim`. GRADCUE_TEST_LIBCUDA names
// another one, such as libcuda.so.1 on a machine with a GPU.
var (
	plainDriver = simulated("libcuda-sim.so")
	checkDriver = simulated("libcuda-sim-check.so")
)

// simulated is the path of a driver that `make sim` made, in bin/sim or in the
// folder that GRADCUE_TEST_SIM names.
func simulated(name string) string {
	folder := os.Getenv("GRADCUE_TEST_SIM")
	if folder == "" {
		folder = "../../bin/sim"
	}
	return filepath.Join(folder, name)
}

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
		// On a GPU the tests of planted mistakes are left out with -run.
		if _, err := os.Stat(l); err != nil && (driver() == plainDriver || driver() == checkDriver) {
			fmt.Println("the simulated driver is missing, run make sim:", err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}
