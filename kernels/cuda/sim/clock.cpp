#include "clock.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>

namespace sim {

namespace {

struct Operation {
	int stream = 0;
	uint32_t tick = 0;
	Clock clock;
};

// Operations live in chunks that never move: a reader needs no lock, since it
// learns of an id from a queue after the operation was made.
constexpr uint32_t chunk_length = 4096, most_chunks = 1 << 14;
typedef std::array<Operation, chunk_length> Chunk;

std::unique_ptr<Chunk> chunks[most_chunks];
std::mutex lock; // of what follows
uint32_t count = 1;
int streams = 1;
std::vector<int> unused; // numbers of streams that have ended
Clock host;

Operation& at(uint32_t op) { return (*chunks[op / chunk_length])[op % chunk_length]; }

} // namespace

void merge(Clock& into, const Clock& from) {
	if (into.size() < from.size()) into.resize(from.size());
	for (size_t i = 0; i < from.size(); i++)
		if (from[i] > into[i]) into[i] = from[i];
}

int new_stream(Clock& clock) {
	std::lock_guard<std::mutex> g(lock);
	if (unused.empty()) return streams++;
	int number = unused.back();
	unused.pop_back();
	clock = host;
	return number;
}

void old_stream(int number, const Clock& clock) {
	std::lock_guard<std::mutex> g(lock);
	for (size_t i = 0; i < clock.size(); i++)
		if (clock[i] > (i < host.size() ? host[i] : 0)) return;
	unused.push_back(number);
}

uint32_t operation(int stream, Clock& clock) {
	std::lock_guard<std::mutex> g(lock);
	uint32_t id = count++;
	if (id / chunk_length >= most_chunks) {
		fprintf(stderr, "cuda-sim: more than %u operations in one process\n", id);
		abort();
	}
	auto& chunk = chunks[id / chunk_length];
	if (!chunk) chunk = std::make_unique<Chunk>();
	Operation& o = at(id);
	o.stream = stream;
	if (stream == 0) {
		o.clock = host;
		return id;
	}
	merge(clock, host);
	if (clock.size() <= size_t(stream)) clock.resize(stream + 1);
	o.tick = ++clock[stream];
	o.clock = clock;
	return id;
}

void host_saw(const Clock& c) {
	std::lock_guard<std::mutex> g(lock);
	merge(host, c);
}

bool before(uint32_t a, uint32_t b) {
	const Operation &x = at(a), &y = at(b);
	if (x.stream == 0) return a < b; // the host waited for it
	return size_t(x.stream) < y.clock.size() && y.clock[x.stream] >= x.tick;
}

int stream_of(uint32_t op) { return at(op).stream; }

} // namespace sim
