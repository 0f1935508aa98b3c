//go:build cuda

package cuda

/*
#include <stdlib.h>
#include "cublaslt.h"
#include "driver.h"
*/
import "C"

import (
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"unsafe"
)

// library is cuBLASLt with a handle for the current context.
type library struct {
	handle  C.cublasLtHandle_t
	path    string
	version string
}

// libraryNames are looked for by the system, newest first: one that is too new
// for the driver cannot be opened.
var libraryNames = []string{"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"}

// openLibrary finds cuBLASLt: the file asked for, or, for LibraryAny, the system's or
// one in the folders; then nil is the answer when there is none. Never is a real
// one opened beside the simulated driver: it would load the system's.
func openLibrary(asked string, folders []string) (*library, error) {
	if asked == "" {
		return nil, nil
	}
	symbol := C.CString("cuSimQueue")
	defer C.free(unsafe.Pointer(symbol))
	simulated := C.gradcue_symbol(symbol) != nil
	if asked != LibraryAny {
		if simulated && !isSimulated(asked) {
			return nil, fmt.Errorf("cuBLASLt: %s is not the simulated library, and the driver is the simulated one: make sim builds libcublasLt-sim.so", asked)
		}
		l, err := loadLibrary(asked)
		if err != nil {
			return nil, fmt.Errorf("cuBLASLt: %w", err)
		}
		return l, nil
	}
	if simulated {
		return nil, nil
	}
	for _, path := range candidates(folders) {
		if l, err := loadLibrary(path); err == nil {
			return l, nil
		}
	}
	return nil, nil
}

// candidates are the names for the system to find, and then the files there are
// in the folders, whose names may be patterns.
func candidates(folders []string) []string {
	list := slices.Clone(libraryNames)
	for _, dir := range folders {
		for _, name := range libraryNames {
			files, err := filepath.Glob(filepath.Join(dir, name))
			if err == nil { // a folder that is no pattern holds none
				list = append(list, files...)
			}
		}
	}
	return list
}

// isSimulated looks for the name that marks the simulated library, without
// loading the file.
func isSimulated(path string) bool {
	f, err := elf.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	return err == nil && slices.ContainsFunc(symbols, func(s elf.Symbol) bool { return s.Name == "cublasLtSimulated" })
}

func loadLibrary(path string) (*library, error) {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	l := &library{}
	if why := C.gradcue_lt_load(name, &l.handle); why != nil {
		return nil, errors.New(C.GoString(why))
	}
	l.path, l.version = C.GoString(C.gradcue_lt_path()), versionText(uint64(C.gradcue_lt_version()))
	return l, nil
}

// versionText is 12.8.3 of 120803.
func versionText(n uint64) string { return fmt.Sprintf("%d.%d.%d", n/10000, n/100%100, n%100) }

func (l *library) String() string { return fmt.Sprintf("cuBLASLt %s, %s", l.version, l.path) }

// close gives the handle back.
func (l *library) close() error {
	if l == nil || l.handle == nil {
		return nil
	}
	h := l.handle
	l.handle = nil
	return libraryFailed("cublasLtDestroy", C.gradcue_lt_close(h))
}

// make makes a product for the library, in C memory.
func (l *library) make(p *product) (*C.gradcue_matmul, error) {
	m := (*C.gradcue_matmul)(C.calloc(1, C.sizeof_gradcue_matmul))
	s := p.shape()
	if err := libraryFailed("describe "+p.String(), C.gradcue_lt_make(m, l.handle, &s)); err != nil {
		freeMatmul(m)
		return nil, err
	}
	m.a, m.b, m.d = C.CUdeviceptr(p.b.at), C.CUdeviceptr(p.a.at), C.CUdeviceptr(p.d.at)
	return m, nil
}

func freeMatmul(m *C.gradcue_matmul) {
	C.gradcue_lt_free(m)
	C.free(unsafe.Pointer(m))
}

// algorithm is a way to compute a product, and the workspace that it needs.
type algorithm struct {
	algo      C.cublasLtMatmulAlgo_t
	workspace int64
}

// searched is how many algorithms of a product are tried.
const searched = 6

// workspaceLimit is the most that an algorithm may need, in bytes.
const workspaceLimit = 32 << 20

// search asks for algorithms, the one that the library expects to be fastest
// first; none when it cannot compute the product.
func (l *library) search(m *C.gradcue_matmul) (list []algorithm) {
	var found [searched]C.cublasLtMatmulHeuristicResult_t
	var n C.int
	if C.gradcue_lt_search(m, workspaceLimit, searched, &found[0], &n) != C.CUBLAS_STATUS_SUCCESS {
		return nil
	}
	for _, r := range found[:n] {
		if r.state == C.CUBLAS_STATUS_SUCCESS {
			list = append(list, algorithm{r.algo, int64(r.workspaceSize)})
		}
	}
	return list
}

// check is an algorithm of an earlier search, if it can still be used.
func (l *library) check(m *C.gradcue_matmul, text string) (a algorithm, err error) {
	if a.algo, err = parseAlgorithm(text); err != nil {
		return a, err
	}
	var n C.size_t
	err = libraryFailed("cublasLtMatmulAlgoCheck", C.gradcue_lt_check(m, &a.algo, &n))
	a.workspace = int64(n)
	return a, err
}

// String is the algorithm in a Choice.
func (a algorithm) String() string {
	var b []byte
	for _, word := range a.algo.data {
		b = binary.LittleEndian.AppendUint64(b, uint64(word))
	}
	return hex.EncodeToString(b)
}

func parseAlgorithm(text string) (a C.cublasLtMatmulAlgo_t, err error) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != algorithmBytes {
		return a, fmt.Errorf("%q is no algorithm", text)
	}
	for i := range a.data {
		a.data[i] = C.uint64_t(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return a, nil
}

// libraryFailed is the error of a call of the library.
func libraryFailed(call string, status C.int) error {
	if status == C.CUBLAS_STATUS_SUCCESS {
		return nil
	}
	return &statusError{call, int(status)}
}

// statusError is a call of the library that failed.
type statusError struct {
	call   string
	status int
}

func (e *statusError) Error() string { return "cuBLASLt: " + e.call + ": " + statusText(e.status) }

func statusText(status int) string {
	for _, s := range []struct {
		status int
		name   string
	}{
		{C.CUBLAS_STATUS_NOT_INITIALIZED, "NOT_INITIALIZED"}, {C.CUBLAS_STATUS_ALLOC_FAILED, "ALLOC_FAILED"}, {C.CUBLAS_STATUS_INVALID_VALUE, "INVALID_VALUE"},
		{C.CUBLAS_STATUS_ARCH_MISMATCH, "ARCH_MISMATCH"}, {C.CUBLAS_STATUS_MAPPING_ERROR, "MAPPING_ERROR"}, {C.CUBLAS_STATUS_EXECUTION_FAILED, "EXECUTION_FAILED"},
		{C.CUBLAS_STATUS_INTERNAL_ERROR, "INTERNAL_ERROR"}, {C.CUBLAS_STATUS_NOT_SUPPORTED, "NOT_SUPPORTED"}, {C.CUBLAS_STATUS_LICENSE_ERROR, "LICENSE_ERROR"},
	} {
		if s.status == status {
			return fmt.Sprintf("CUBLAS_STATUS_%s (%d)", s.name, status)
		}
	}
	return fmt.Sprintf("status %d", status)
}
