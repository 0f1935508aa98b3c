// What a compiler calls from code built with -fsanitize=thread. Only the kernels
// of the checking flavour are built so; libtsan is not linked.
#include "check.h"

using sim::access;

extern "C" {

#define SIM_CALLBACKS(n)                                                                   \
	void __tsan_read##n(void* p) { access(uintptr_t(p), n, false); }                   \
	void __tsan_write##n(void* p) { access(uintptr_t(p), n, true); }                   \
	void __tsan_unaligned_read##n(void* p) { access(uintptr_t(p), n, false); }         \
	void __tsan_unaligned_write##n(void* p) { access(uintptr_t(p), n, true); }         \
	void __tsan_volatile_read##n(void* p) { access(uintptr_t(p), n, false); }          \
	void __tsan_volatile_write##n(void* p) { access(uintptr_t(p), n, true); }

SIM_CALLBACKS(1)
SIM_CALLBACKS(2)
SIM_CALLBACKS(4)
SIM_CALLBACKS(8)
SIM_CALLBACKS(16)

void __tsan_read_range(void* p, size_t n) { access(uintptr_t(p), n, false); }
void __tsan_write_range(void* p, size_t n) { access(uintptr_t(p), n, true); }
void __tsan_func_entry(void*) {}
void __tsan_func_exit(void) {}
void __tsan_init(void) {}
void __tsan_vptr_read(void*) {}
void __tsan_vptr_update(void*, void*) {}

} // extern "C"
