#include "queue.h"
#include "check.h"
#include "context.h"
#include "executor.h"
#include "memory.h"
#include "stream.h"

#include <vector>

using namespace sim;

namespace {

struct Owned {
	void (*gone)(void*);
	void* data;
	~Owned() { gone(data); }
};

// touched checks a range and remembers it for operation op. It answers what is
// wrong, or nothing.
std::string touched(const SimRange& r, uint32_t op) {
	std::string wrong;
	for (size_t i = 0; checking && i < r.rows && wrong.empty(); i++) {
		std::lock_guard<std::mutex> g(device);
		wrong = whole(reinterpret_cast<void*>(uintptr_t(r.p + i * r.stride)), r.bytes, r.write, op);
	}
	return wrong;
}

} // namespace

CUresult cuSimQueue(CUstream s, const SimRange* ranges, int n, void (*work)(void*), void (*gone)(void*), void* data) {
	std::shared_ptr<Owned> owned(new Owned{gone, data});
	if (CUresult r = ready()) return r;
	std::vector<SimRange> list(ranges, ranges + n);
	return later(s, [=](uint32_t op) {
		for (const SimRange& r : list) {
			if (r.rows && !on_device(r.p, (r.rows - 1) * r.stride + r.bytes))
				return stuck(CUDA_ERROR_ILLEGAL_ADDRESS, "a library touches memory that is not of one allocation");
			std::string wrong = touched(r, op);
			if (!wrong.empty()) return stuck(CUDA_ERROR_LAUNCH_FAILED, "in a library: " + wrong);
		}
		work(owned->data);
	});
}
