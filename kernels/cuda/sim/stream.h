// Streams are threads with a queue each; events carry a count of their records.
#pragma once

#include "clock.h"
#include "api.h"

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

// later queues work on a stream as operation op; work is left out once there is
// an error that stays.
CUresult later(CUstream s, std::function<void(uint32_t op)> work);

} // namespace sim

struct CUevent_st {
	std::shared_ptr<sim::Mark> mark = std::make_shared<sim::Mark>();
};

struct CUstream_st {
	explicit CUstream_st(unsigned seed);
	~CUstream_st();
	void push(std::function<void()> work);
	void drain(); // waits until the queue is empty
	bool idle();

	const int number;
	sim::Clock clock; // of the calls, changed by the calling thread only

private:
	void serve();

	std::mutex lock; // of what follows
	std::condition_variable changed;
	std::deque<std::function<void()>> queue;
	bool busy = false, stop = false;
	std::minstd_rand dice;
	std::thread thread; // last, since it uses the others
};
