// Streams are threads with a queue each; events carry a count of their records.
#pragma once

#include "api.h"
#include "capture.h"
#include "clock.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <thread>

namespace sim {

// Mark is the state of an event; queues may hold it longer than its handle lives.
struct Mark {
	std::mutex lock;
	std::condition_variable reached;
	uint64_t recorded = 0, done = 0; // counts of records: asked for, reached
	std::chrono::steady_clock::time_point at;
	Clock clock; // of the last record
};

// known reports whether a handle is that of a stream.
bool known(CUstream s);

// later queues work on a stream as operation op, or captures it when the stream
// captures; work is left out once there is an error that stays.
CUresult later(CUstream s, Work work);

// queue_work, queue_record and queue_wait are the same without capture and on any
// stream, also a private one of a graph. A wait is for the last record before the
// call; there may be none.
void queue_work(CUstream s, const Work& work);
void queue_record(CUstream s, const std::shared_ptr<Mark>& m);
void queue_wait(CUstream s, const std::shared_ptr<Mark>& m);

// synchronize_all waits for all streams, and answers the error that stays.
CUresult synchronize_all();

} // namespace sim

struct CUevent_st {
	std::shared_ptr<sim::Mark> mark = std::make_shared<sim::Mark>();
	sim::Captured captured; // its last record, when that was in a capture
};

struct CUstream_st {
	explicit CUstream_st(unsigned seed);
	~CUstream_st();
	void push(std::function<void()> work);
	void drain(); // waits until the queue is empty
	bool idle();

	sim::Clock clock; // of the calls, changed by the calling thread only
	const int number;

private:
	void serve();

	std::mutex lock; // of what follows
	std::condition_variable changed;
	std::deque<std::function<void()>> queue;
	bool busy = false, stop = false;
	std::minstd_rand dice;
	std::thread thread; // last, since it uses the others
};
