// Package cuda holds the kernels of the CUDA engine: their PTX, embedded, and the
// sources it is made of. It is data and a table of contents; it launches nothing,
// uses no cgo and knows nothing of graphs or plans.
//
// One .cu file is one op family and one PTX module. The sources are read by two
// compilers, clang for the device and a C++ compiler for the simulated driver;
// gp.cuh says what of CUDA they may use, storage.cuh how tensors are stored,
// math.cuh has the elementary functions. Every entry point is extern "C", takes
// slots of eight bytes (pointers, long long, double), and is named
//
//	op_storage          layernorm_bf16
//	op_size_storage     linear_128_f32, attention_64_f16
//	op_mma_size_storage linear_mma_128_bf16, attention_mma_64_bf16
//
// with storage f32, bf16 or f16; what exists in f32 alone has no suffix. Values
// are computed in float32, each named result is rounded once to its storage type,
// also where one kernel makes an op of several (linear.cuh).
//
// No kernel uses atomic operations on numbers, so every run gives the same bits.
// Products and sums over rows are the chains that the CPU kernels make: one
// element, one thread, rows ascending. Row reductions and the softmax have an
// order of their own, fixed by the shape.
//
// The kernels named mma use the tensor cores, for products that the plan calls
// bf16dot, f16dot or tf32, where rows are whole pieces of 16 bytes. The products of
// 16-bit operands are exact; f32 operands are rounded to tf32 (mma_f32). Sums are
// f32, but one instruction adds 16 or 8 products in an order of its own: the bits
// are those of the same kernel on the same architecture, and another split into
// micro-batches agrees to rounding, not to the bit. A gradient that continues has
// its sum added once, at the end. bf16dot rounds the gradient of the logits to bf16,
// f16dot rounds it to tf32. Attention on the tensor cores has the machine's
// exponentials.
//
// The .ptx files are generated: `make ptx` (clang-16; PTX ISA 7.0) writes them, for
// sm_80 where tensor cores are used and for sm_70 otherwise, and a test compares
// when that compiler is there. registers.txt is what an assembler made of them:
// `make sass` compares.
package cuda
