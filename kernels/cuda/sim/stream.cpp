#include "stream.h"
#include "context.h"
#include "options.h"

#include <csignal>
#include <set>

using namespace sim;

namespace {

std::mutex streams_lock;
std::set<CUstream> streams;

std::vector<CUstream> all_streams() {
	std::lock_guard<std::mutex> g(streams_lock);
	return {streams.begin(), streams.end()};
}

// keep_signals leaves to this thread only what its own instructions cause: all
// other signals are for the threads of the program.
void keep_signals() {
	sigset_t s;
	sigfillset(&s);
	for (int fatal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigdelset(&s, fatal);
	pthread_sigmask(SIG_SETMASK, &s, nullptr);
}

} // namespace

CUstream_st::CUstream_st(unsigned seed) : number(new_stream(clock)), dice(seed), thread([this] { serve(); }) {}

CUstream_st::~CUstream_st() {
	{
		std::lock_guard<std::mutex> g(lock);
		stop = true;
	}
	changed.notify_all();
	thread.join();
	old_stream(number, clock);
}

void CUstream_st::push(std::function<void()> work) {
	{
		std::lock_guard<std::mutex> g(lock);
		queue.push_back(std::move(work));
	}
	changed.notify_all();
}

void CUstream_st::drain() {
	std::unique_lock<std::mutex> g(lock);
	changed.wait(g, [&] { return queue.empty() && !busy; });
}

bool CUstream_st::idle() {
	std::lock_guard<std::mutex> g(lock);
	return queue.empty() && !busy;
}

void CUstream_st::serve() {
	keep_signals();
	for (;;) {
		std::function<void()> work;
		{
			std::unique_lock<std::mutex> g(lock);
			changed.wait(g, [&] { return stop || !queue.empty(); });
			if (queue.empty()) return;
			work = std::move(queue.front());
			queue.pop_front();
			busy = true;
		}
		if (options.delay_us) std::this_thread::sleep_for(std::chrono::microseconds(dice() % options.delay_us));
		work();
		{
			std::lock_guard<std::mutex> g(lock);
			busy = false;
		}
		changed.notify_all();
	}
}

namespace sim {

bool known(CUstream s) {
	std::lock_guard<std::mutex> g(streams_lock);
	return streams.count(s) > 0;
}

CUresult later(CUstream s, Work work) {
	if (!known(s)) return CUDA_ERROR_INVALID_HANDLE; // also the default stream, which does not order with ours
	CUresult r;
	if (captured(s, work, &r)) return r;
	queue_work(s, work);
	return CUDA_SUCCESS;
}

void queue_work(CUstream s, const Work& work) {
	uint32_t op = operation(s->number, s->clock);
	s->push([work, op] {
		if (stuck_result()) return;
		work(op);
		count_work();
	});
}

void queue_record(CUstream s, const std::shared_ptr<Mark>& m) {
	std::lock_guard<std::mutex> g(m->lock);
	m->clock = s->clock;
	s->push([m, count = ++m->recorded] {
		std::lock_guard<std::mutex> g(m->lock);
		m->done = count;
		m->at = std::chrono::steady_clock::now();
		m->reached.notify_all();
	});
}

void queue_wait(CUstream s, const std::shared_ptr<Mark>& m) {
	std::lock_guard<std::mutex> g(m->lock);
	merge(s->clock, m->clock);
	s->push([m, count = m->recorded] {
		std::unique_lock<std::mutex> g(m->lock);
		m->reached.wait(g, [&] { return m->done >= count; });
	});
}

CUresult synchronize_all() {
	for (CUstream s : all_streams()) {
		s->drain();
		host_saw(s->clock);
	}
	return stuck_result();
}

} // namespace sim

extern "C" {

CUresult cuStreamCreateWithPriority(CUstream* s, unsigned int flags, int) {
	if (CUresult r = ready()) return r;
	// A stream that blocks on the default stream orders what ours must order by events.
	if (flags != CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
	std::lock_guard<std::mutex> g(streams_lock);
	*s = new CUstream_st(options.seed * 7919 + unsigned(streams.size()));
	streams.insert(*s);
	return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream* s, unsigned int flags) { return cuStreamCreateWithPriority(s, flags, 0); }

CUresult cuStreamDestroy(CUstream s) {
	{
		std::lock_guard<std::mutex> g(streams_lock);
		if (!streams.erase(s)) return CUDA_ERROR_INVALID_HANDLE;
	}
	abandon(s);
	delete s; // ends its work first
	return stuck_result();
}

CUresult cuStreamSynchronize(CUstream s) {
	if (CUresult r = ready()) return r;
	if (!known(s)) return CUDA_ERROR_INVALID_HANDLE;
	if (capturing(s)) {
		spoil(s);
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	}
	s->drain();
	host_saw(s->clock);
	return stuck_result();
}

CUresult cuStreamQuery(CUstream s) {
	if (CUresult r = ready()) return r;
	if (!known(s)) return CUDA_ERROR_INVALID_HANDLE;
	if (capturing(s)) {
		spoil(s);
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	}
	if (!s->idle()) return CUDA_ERROR_NOT_READY;
	host_saw(s->clock);
	return stuck_result();
}

CUresult cuCtxSynchronize(void) {
	if (CUresult r = ready()) return r;
	CUresult r = unsafe();
	return r ? r : synchronize_all();
}

CUresult cuEventCreate(CUevent* e, unsigned int) {
	if (CUresult r = ready()) return r;
	*e = new CUevent_st;
	return CUDA_SUCCESS;
}

CUresult cuEventDestroy(CUevent e) {
	delete e;
	return stuck_result();
}

CUresult cuEventRecord(CUevent e, CUstream s) {
	if (CUresult r = ready()) return r;
	if (!known(s)) return CUDA_ERROR_INVALID_HANDLE;
	CUresult r;
	if (captured_record(s, e->captured, &r)) return r;
	queue_record(s, e->mark);
	return CUDA_SUCCESS;
}

CUresult cuStreamWaitEvent(CUstream s, CUevent e, unsigned int) {
	if (CUresult r = ready()) return r;
	if (!known(s)) return CUDA_ERROR_INVALID_HANDLE;
	CUresult r;
	if (captured_wait(s, e->captured, &r)) return r;
	queue_wait(s, e->mark);
	return CUDA_SUCCESS;
}

CUresult cuEventSynchronize(CUevent e) {
	if (CUresult r = ready()) return r;
	if (e->captured.capture) return CUDA_ERROR_CAPTURED_EVENT;
	auto mark = e->mark;
	std::unique_lock<std::mutex> g(mark->lock);
	mark->reached.wait(g, [&] { return mark->done >= mark->recorded; });
	host_saw(mark->clock);
	return stuck_result();
}

CUresult cuEventQuery(CUevent e) {
	if (CUresult r = ready()) return r;
	if (e->captured.capture) return CUDA_ERROR_CAPTURED_EVENT;
	std::lock_guard<std::mutex> g(e->mark->lock);
	if (e->mark->done < e->mark->recorded) return CUDA_ERROR_NOT_READY;
	host_saw(e->mark->clock);
	return stuck_result();
}

CUresult cuEventElapsedTime(float* ms, CUevent a, CUevent b) {
	if (CUresult r = ready()) return r;
	if (a->captured.capture || b->captured.capture) return CUDA_ERROR_CAPTURED_EVENT;
	std::scoped_lock g(a->mark->lock, b->mark->lock);
	if (!a->mark->recorded || !b->mark->recorded) return CUDA_ERROR_INVALID_HANDLE;
	if (a->mark->done < a->mark->recorded || b->mark->done < b->mark->recorded) return CUDA_ERROR_NOT_READY;
	*ms = std::chrono::duration<float, std::milli>(b->mark->at - a->mark->at).count();
	return CUDA_SUCCESS;
}

} // extern "C"
