// Package weights reads and writes tensors in the safetensors format:
//
//	8 bytes  n, the length of the header, little-endian
//	n bytes  JSON: {"name": {"dtype", "shape", "data_offsets": [begin, end]}, "__metadata__": {…}}
//	rest     the data, little-endian; offsets count from here
//
// A file from anywhere is safe to open: the header is bounded, every number in
// it is checked (known dtype, size of the shape = size of the range), and the
// ranges must cover the data once, without a gap or an overlap. What passes can
// be read without leaving the file. Nothing is allocated for data before it is
// asked for, and then into the caller's slice.
//
// The package knows no parameters and no run folder; it is names, shapes and
// numbers.
package weights
