// What the lanes of a warp do together, and the copies of one lane in the background.
#include "executor.h"

#include <algorithm>

namespace sim {

namespace {

std::string hexadecimal(unsigned mask) {
	char b[16];
	snprintf(b, sizeof b, "%08x", mask);
	return b;
}

// admit wants the lane and its mask to fit the operation in progress.
void admit(const Warp& w, unsigned mask, Place at) {
	const Fiber& f = self();
	unsigned lane = f.linear % 32, first = f.linear - lane;
	unsigned lanes = block_threads - first >= 32 ? 0xffffffffu : (1u << (block_threads - first)) - 1;
	if (w.arrived && (w.mask != mask || w.at.line != at.line))
		fault("warp divergence: lane " + std::to_string(lane) + " is at " + text(at) + " with mask " + hexadecimal(mask) + ", others at " + text(w.at) + " with " +
		      hexadecimal(w.mask));
	if (!(mask >> lane & 1) || (mask & ~lanes))
		fault("the mask " + hexadecimal(mask) + " at " + text(at) + " does not fit: this is lane " + std::to_string(lane) + ", the warp has " + hexadecimal(lanes));
}

// meet waits for all lanes of mask and answers their words.
const uint32_t (*meet(unsigned mask, const uint32_t* words, int n, Place at))[gather_words] {
	bool checked = kernel_checks;
	kernel_checks = false;
	Fiber& f = self();
	Warp& w = warps[f.linear / 32];
	admit(w, mask, at);
	unsigned lane = f.linear % 32;
	auto& slot = w.words[w.step & 1];
	memcpy(slot[lane], words, size_t(n) * 4);
	w.mask = mask, w.at = at, f.at = at;
	if (++w.arrived < __builtin_popcount(mask)) {
		f.state = State::in_warp;
		pause();
	} else {
		w.arrived = 0;
		here.step = ++w.step;
		for (unsigned i = f.linear - lane, end = std::min(i + 32, block_threads); i < end; i++)
			if (fibers[i].state == State::in_warp && (mask >> (i % 32) & 1)) fibers[i].state = State::ready;
	}
	kernel_checks = checked;
	return slot;
}

} // namespace

uint64_t shuffle(unsigned mask, uint64_t v, Shuffle kind, int d, Place at) {
	unsigned lane = running->linear % 32, from = lane;
	switch (kind) {
	case Shuffle::exclusive_or: from = lane ^ unsigned(d); break;
	case Shuffle::down: from = lane + unsigned(d); break;
	case Shuffle::up: from = lane - unsigned(d); break;
	case Shuffle::index: from = unsigned(d) % 32; break;
	}
	if (from > 31) from = lane;
	uint32_t words[2] = {uint32_t(v), uint32_t(v >> 32)};
	auto all = meet(mask, words, 2, at);
	if (!(mask >> from & 1)) fault("the shuffle at " + text(at) + " reads lane " + std::to_string(from) + ", which is not in its mask " + hexadecimal(mask));
	return all[from][0] | uint64_t(all[from][1]) << 32;
}

const uint32_t* gather(unsigned mask, const uint32_t* words, int n, Place at) {
	static uint32_t together[32 * gather_words];
	auto all = meet(mask, words, n, at);
	for (int i = 0; i < 32; i++) memcpy(together + i * n, all[i], size_t(n) * 4);
	return together;
}

void copy_async(void* shared, const void* global) {
	watch(global, 16, false);
	self().copies.push_back({shared, global});
}

void copy_commit() { self().groups.push_back(self().copies.size()); }

// copy_wait(0) waits for all copies, committed or not.
void copy_wait(int groups) {
	Fiber& f = self();
	size_t done = f.copies.size();
	if (groups > 0) {
		if (f.groups.size() <= size_t(groups)) return;
		done = f.groups[f.groups.size() - 1 - size_t(groups)];
	}
	for (size_t i = 0; i < done; i++) {
		watch(f.copies[i].to, 16, true);
		memcpy(f.copies[i].to, f.copies[i].from, 16);
	}
	f.copies.erase(f.copies.begin(), f.copies.begin() + long(done));
	std::vector<size_t> rest;
	for (size_t end : f.groups)
		if (end > done) rest.push_back(end - done);
	f.groups = rest;
}

void watch(const void* p, size_t n, bool write) {
	if (checking) access(uintptr_t(p), n, write);
}

} // namespace sim
