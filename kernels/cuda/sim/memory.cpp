#include "memory.h"
#include "check.h"
#include "executor.h"
#include "options.h"

#include <map>
#include <sys/mman.h>

namespace sim {

namespace {

constexpr size_t page = 4096, alignment = 256;

struct Block {
	size_t size;
	char* map;
	size_t mapped;
};

typedef std::map<uintptr_t, Block> Blocks;

std::mutex lock; // of what follows
Blocks on_gpu, pinned;
size_t used, used_pinned;

size_t up(size_t n, size_t to) { return (n + to - 1) / to * to; }

bool make(Blocks& blocks, size_t n, Memory kind, uintptr_t* p) {
	Block b{n, nullptr, up(n, page) + 2 * page};
	void* m = mmap(nullptr, b.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (m == MAP_FAILED) return false;
	b.map = static_cast<char*>(m);
	if (mprotect(b.map + page, b.mapped - 2 * page, PROT_READ | PROT_WRITE) != 0) return false;
	char* at = b.map + b.mapped - page - up(n, alignment);
	memset(at, 0xff, up(n, alignment));
	*p = uintptr_t(at);
	blocks[*p] = b;
	std::lock_guard<std::mutex> g(device);
	remember(at, n, kind);
	return true;
}

bool unmake(Blocks& blocks, uintptr_t p, size_t* size) {
	auto i = blocks.find(p);
	if (i == blocks.end()) return false;
	*size = i->second.size;
	munmap(i->second.map, i->second.mapped);
	blocks.erase(i);
	std::lock_guard<std::mutex> g(device);
	forget(reinterpret_cast<void*>(p));
	return true;
}

bool holds(const Blocks& blocks, uintptr_t p, size_t n) {
	std::lock_guard<std::mutex> g(lock);
	auto i = blocks.upper_bound(p);
	if (i == blocks.begin()) return false;
	--i;
	return p - i->first <= i->second.size && n <= i->second.size - (p - i->first);
}

} // namespace

CUresult allocate_device(CUdeviceptr* p, size_t n) {
	if (!p || n == 0) return CUDA_ERROR_INVALID_VALUE;
	std::lock_guard<std::mutex> g(lock);
	uintptr_t at = 0;
	if (n > options.memory - used || !make(on_gpu, n, Memory::device, &at)) return CUDA_ERROR_OUT_OF_MEMORY;
	used += n;
	*p = at;
	return CUDA_SUCCESS;
}

CUresult reserve(size_t n) {
	std::lock_guard<std::mutex> g(lock);
	if (n > options.memory - used) return CUDA_ERROR_OUT_OF_MEMORY;
	used += n;
	return CUDA_SUCCESS;
}

void unreserve(size_t n) {
	std::lock_guard<std::mutex> g(lock);
	used -= n;
}

CUresult free_device(CUdeviceptr p) {
	std::lock_guard<std::mutex> g(lock);
	size_t n = 0;
	if (!unmake(on_gpu, p, &n)) return CUDA_ERROR_INVALID_VALUE;
	used -= n;
	return CUDA_SUCCESS;
}

CUresult allocate_pinned(void** p, size_t n) {
	if (!p || n == 0) return CUDA_ERROR_INVALID_VALUE;
	std::lock_guard<std::mutex> g(lock);
	uintptr_t at = 0;
	if (n > options.pinned - used_pinned || !make(pinned, n, Memory::host, &at)) return CUDA_ERROR_OUT_OF_MEMORY;
	used_pinned += n;
	*p = reinterpret_cast<void*>(at);
	return CUDA_SUCCESS;
}

CUresult free_pinned(void* p) {
	std::lock_guard<std::mutex> g(lock);
	size_t n = 0;
	if (!unmake(pinned, uintptr_t(p), &n)) return CUDA_ERROR_INVALID_VALUE;
	used_pinned -= n;
	return CUDA_SUCCESS;
}

bool on_device(CUdeviceptr p, size_t n) { return holds(on_gpu, uintptr_t(p), n); }
bool is_pinned(const void* p, size_t n) { return holds(pinned, uintptr_t(p), n); }

size_t available() {
	std::lock_guard<std::mutex> g(lock);
	return options.memory - used;
}

} // namespace sim
