// Graphs are made by capturing streams (capture.h), and run by replaying.
#include "capture.h"
#include "context.h"
#include "memory.h"
#include "options.h"
#include "stream.h"

using namespace sim;

// A launch begins when the one before it has ended.
struct CUgraphExec_st {
	CUgraph_st graph;
	std::vector<std::unique_ptr<CUstream_st>> branches; // of index 1 and on
	std::shared_ptr<Mark> last;
	size_t reserved = 0;
};

namespace {

// node_bytes is what this device takes for a command of an instantiated graph.
// How much a real one takes is not documented; that it does is what matters here.
constexpr size_t node_bytes = 512;

} // namespace

extern "C" {

CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long flags) {
	if (CUresult r = ready()) return r;
	if (CUresult r = unsafe()) return r;
	if (!graph || flags) return CUDA_ERROR_INVALID_VALUE;
	size_t bytes = graph->list.size() * node_bytes;
	if (CUresult r = reserve(bytes)) return r;
	auto e = std::make_unique<CUgraphExec_st>();
	e->graph = *graph;
	e->reserved = bytes;
	for (int i = 1; i < graph->branches; i++) e->branches.push_back(std::make_unique<CUstream_st>(options.seed * 7919 + 101 * unsigned(i)));
	*exec = e.release();
	return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec e, CUstream s) {
	if (CUresult r = ready()) return r;
	if (!known(s)) return CUDA_ERROR_INVALID_HANDLE;
	if (capturing(s)) { // it would be a node of the other graph
		spoil(s);
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	}
	if (e->last) queue_wait(s, e->last);
	std::vector<std::shared_ptr<Mark>> marks;
	for (int i = 0; i < e->graph.marks; i++) marks.push_back(std::make_shared<Mark>());
	for (const Command& c : e->graph.list) {
		CUstream on = c.branch ? e->branches[size_t(c.branch) - 1].get() : s;
		switch (c.kind) {
		case Command::work: queue_work(on, c.run); break;
		case Command::record: queue_record(on, marks[size_t(c.mark)]); break;
		case Command::wait: queue_wait(on, marks[size_t(c.mark)]); break;
		}
	}
	e->last = std::make_shared<Mark>();
	queue_record(s, e->last);
	return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph) {
	delete graph;
	return stuck_result();
}

CUresult cuGraphExecDestroy(CUgraphExec e) {
	for (auto& b : e->branches) b->drain();
	unreserve(e->reserved);
	delete e;
	return stuck_result();
}

} // extern "C"
