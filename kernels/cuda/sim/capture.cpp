#include "capture.h"
#include "context.h"
#include "options.h"
#include "stream.h"

#include <algorithm>
#include <set>

namespace sim {

namespace {

std::mutex lock; // of what follows, and of all captures
std::set<std::shared_ptr<Capture>> captures;

// of is the capture of a stream and its branch.
std::shared_ptr<Capture> of(CUstream s, int* branch) {
	for (const auto& c : captures) {
		auto i = std::find(c->branches.begin(), c->branches.end(), s);
		if (i == c->branches.end()) continue;
		*branch = int(i - c->branches.begin());
		return c;
	}
	return nullptr;
}

// act advances a branch by a command.
void act(Capture& c, int branch) {
	Clock& k = c.clocks[size_t(branch)];
	if (k.size() <= size_t(branch)) k.resize(size_t(branch) + 1);
	k[size_t(branch)]++;
}

CUresult spoiled(Capture& c, CUresult r) {
	c.invalid = true;
	return r;
}

// joined reports whether the origin comes after all that the branches were given.
bool joined(const Capture& c) {
	for (size_t b = 1; b < c.branches.size(); b++)
		if (c.clocks[0].size() <= b || c.clocks[0][b] < c.clocks[b][b]) return false;
	return true;
}

CUresult begin(CUstream s, CUstreamCaptureMode mode) {
	std::lock_guard<std::mutex> g(lock);
	int branch;
	if (of(s, &branch)) return CUDA_ERROR_ILLEGAL_STATE;
	auto c = std::make_shared<Capture>();
	c->origin = s, c->mode = mode, c->thread = std::this_thread::get_id();
	c->branches = {s}, c->clocks.resize(1);
	captures.insert(c);
	return CUDA_SUCCESS;
}

CUresult end(CUstream s, CUgraph* graph) {
	std::lock_guard<std::mutex> g(lock);
	int branch;
	*graph = nullptr;
	auto c = of(s, &branch);
	if (!c) return CUDA_ERROR_ILLEGAL_STATE;
	if (branch != 0) return spoiled(*c, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
	if (c->mode != CU_STREAM_CAPTURE_MODE_RELAXED && c->thread != std::this_thread::get_id()) return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
	captures.erase(c);
	c->ended = true;
	if (c->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	if (!joined(*c)) return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
	*graph = new CUgraph_st{std::move(c->list), int(c->branches.size()), c->marks};
	return CUDA_SUCCESS;
}

} // namespace

bool captured(CUstream s, const Work& w, CUresult* r) {
	std::lock_guard<std::mutex> g(lock);
	int branch;
	auto c = of(s, &branch);
	if (!c) return false;
	*r = c->invalid ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
	if (*r) return true;
	act(*c, branch);
	c->list.push_back({Command::work, branch, 0, w});
	return true;
}

bool captured_record(CUstream s, Captured& e, CUresult* r) {
	std::lock_guard<std::mutex> g(lock);
	int branch;
	auto c = of(s, &branch);
	e.capture = nullptr;
	if (!c) return false;
	*r = c->invalid ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
	if (*r) return true;
	e = {c, c->marks++, c->clocks[size_t(branch)]};
	c->list.push_back({Command::record, branch, e.mark, nullptr});
	return true;
}

bool captured_wait(CUstream s, const Captured& e, CUresult* r) {
	std::lock_guard<std::mutex> g(lock);
	int branch;
	auto c = of(s, &branch);
	if (!c && !e.capture) return false;
	*r = CUDA_SUCCESS;
	if (c && c->invalid) *r = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	else if (!e.capture) *r = spoiled(*c, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
	else if (e.capture->ended) *r = CUDA_ERROR_CAPTURED_EVENT;
	else if (e.capture->invalid) *r = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	else if (c && c != e.capture) *r = (spoiled(*e.capture, CUDA_SUCCESS), spoiled(*c, CUDA_ERROR_STREAM_CAPTURE_MERGE));
	if (*r) return true;
	if (!c) {
		c = e.capture, branch = int(c->branches.size());
		c->branches.push_back(s);
		c->clocks.emplace_back();
	}
	merge(c->clocks[size_t(branch)], e.clock);
	act(*c, branch);
	c->list.push_back({Command::wait, branch, e.mark, nullptr});
	return true;
}

bool capturing(CUstream s) {
	std::lock_guard<std::mutex> g(lock);
	int branch;
	return of(s, &branch) != nullptr;
}

void spoil(CUstream s) {
	std::lock_guard<std::mutex> g(lock);
	int branch;
	if (auto c = of(s, &branch)) c->invalid = true;
}

void abandon(CUstream s) {
	std::lock_guard<std::mutex> g(lock);
	int branch;
	auto c = of(s, &branch);
	if (!c) return;
	c->invalid = c->ended = true;
	captures.erase(c);
}

CUresult unsafe(CUresult r) {
	std::lock_guard<std::mutex> g(lock);
	CUresult answer = CUDA_SUCCESS;
	for (const auto& c : captures) {
		bool mine = c->mode == CU_STREAM_CAPTURE_MODE_GLOBAL || c->thread == std::this_thread::get_id();
		if (c->mode != CU_STREAM_CAPTURE_MODE_RELAXED && mine) answer = spoiled(*c, r);
	}
	return answer;
}

} // namespace sim

using namespace sim;

extern "C" {

CUresult cuStreamBeginCapture(CUstream s, CUstreamCaptureMode mode) {
	if (CUresult r = ready()) return r;
	if (!options.graphs) return CUDA_ERROR_NOT_SUPPORTED;
	if (!known(s)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED; // the default stream cannot capture
	if (mode < CU_STREAM_CAPTURE_MODE_GLOBAL || mode > CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
	return begin(s, mode);
}

CUresult cuStreamEndCapture(CUstream s, CUgraph* graph) {
	if (CUresult r = ready()) return r;
	if (!known(s)) return CUDA_ERROR_INVALID_HANDLE;
	return end(s, graph);
}

} // extern "C"
