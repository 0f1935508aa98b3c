#include "check.h"
#include "clock.h"
#include "executor.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <link.h>
#include <map>
#include <memory>

namespace sim {

Where here;
bool kernel_checks;

namespace {

constexpr int followed_reads = 4; // of operations that are not ordered with each other

// Readers of the current phase: one thread, several of a warp, of a block, of the grid.
enum Readers : uint8_t { one_thread, one_warp, one_block, several_blocks };

// Cell is what is known of two bytes.
struct Cell {
	uint32_t write_op, write_block, write_phase, write_step;
	uint32_t read_op, read_block, read_phase, read_step;
	uint32_t reads[followed_reads];
	uint16_t write_thread, read_thread;
	Readers readers;
	bool written;
};

struct Released {
	void operator()(Cell* c) const { free(c); }
};

struct Region {
	uintptr_t at = 0;
	size_t size = 0;
	const char* name = "";
	bool ask_written = true, shared = false;
	std::unique_ptr<Cell, Released> cells; // zero pages until touched

	bool holds(uintptr_t p) const { return p - at < size; }
	Cell* first(uintptr_t p) { return cells.get() + (p - at) / 2; }
	Cell* end(uintptr_t p, size_t n) { return cells.get() + (p - at + n + 1) / 2; }
	size_t offset(const Cell* c) const { return size_t(c - cells.get()) * 2; }
};

std::map<uintptr_t, Region> regions;
Region *last, *block_shared;

struct Range {
	uintptr_t at = 0;
	size_t size = 0;
	bool holds(uintptr_t p) const { return p - at < size; }
};
Range records, stack, image;

// find_image is where this library lies: kernels may read their constants.
int find_image(dl_phdr_info* info, size_t, void*) {
	uintptr_t self = uintptr_t(&find_image), lo = ~uintptr_t(0), hi = 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const auto& h = info->dlpi_phdr[i];
		if (h.p_type != PT_LOAD) continue;
		lo = std::min(lo, uintptr_t(info->dlpi_addr + h.p_vaddr));
		hi = std::max(hi, uintptr_t(info->dlpi_addr + h.p_vaddr + h.p_memsz));
	}
	if (self < lo || self >= hi) return 0;
	image = {lo, hi - lo};
	return 1;
}

Region& add(uintptr_t p, size_t n, const char* name) {
	Region& r = regions[p];
	r.at = p, r.size = n, r.name = name;
	r.cells.reset(static_cast<Cell*>(calloc((n + 1) / 2, sizeof(Cell))));
	last = nullptr;
	return r;
}

Region* find(uintptr_t p) {
	if (block_shared && block_shared->holds(p)) return block_shared;
	if (last && last->holds(p)) return last;
	auto i = regions.upper_bound(p);
	if (i == regions.begin()) return nullptr;
	--i;
	return i->second.holds(p) ? last = &i->second : nullptr;
}

// unordered_reader is an operation of any stream that read the cell and is not
// ordered before op; 0 for none.
uint32_t unordered_reader(const Cell& c, uint32_t op) {
	for (uint32_t r : c.reads)
		if (r && r != op && !before(r, op)) return r;
	return 0;
}

// note_operation remembers that an operation read the cell. It takes the place of
// one that comes before it: what comes after it comes after both.
void note_operation(Cell& c, uint32_t op) {
	for (uint32_t r : c.reads)
		if (r == op) return;
	for (uint32_t& r : c.reads) {
		if (r && !before(r, op)) continue;
		r = op;
		return;
	}
	c.reads[op % followed_reads] = op; // more at a time than are followed: one is forgotten
}

std::string by(uint32_t op) { return "operation " + std::to_string(op) + " of stream " + std::to_string(stream_of(op)); }
std::string place(const Region& r, size_t offset) { return std::string(r.name) + " + " + std::to_string(offset); }

// write_is_ordered reports whether the last write of a cell is ordered before the
// running thread.
bool write_is_ordered(const Cell& c) {
	if (c.write_op == 0) return true;
	if (c.write_op != here.op) return before(c.write_op, here.op);
	if (c.write_block != here.block) return false;
	if (c.write_thread == here.thread || c.write_phase != here.phase) return true;
	return c.write_thread / 32 == here.thread / 32 && c.write_step != here.step;
}

// reads_are_ordered reports whether the reads of the running kernel are ordered
// before a write by the running thread.
bool reads_are_ordered(const Cell& c) {
	if (c.read_op != here.op) return true; // of other operations: unordered_reader
	if (c.readers == several_blocks || c.read_block != here.block) return false;
	if (c.read_phase != here.phase) return true;
	bool same_warp = c.read_thread / 32 == here.thread / 32;
	switch (c.readers) {
	case one_thread: return c.read_thread == here.thread || (same_warp && c.read_step != here.step);
	case one_warp: return same_warp && c.read_step < here.step;
	default: return false;
	}
}

void note_read(Region& r, Cell& c) {
	bool same_op = c.read_op == here.op;
	if (same_op && (c.readers == several_blocks || c.read_block != here.block)) {
		c.readers = several_blocks;
	} else if (same_op && c.read_phase == here.phase) {
		if (c.read_thread != here.thread) {
			bool same_warp = c.readers <= one_warp && c.read_thread / 32 == here.thread / 32;
			c.readers = same_warp ? one_warp : one_block;
		}
	} else {
		c.readers = one_thread;
	}
	c.read_op = here.op, c.read_block = here.block, c.read_thread = uint16_t(here.thread);
	c.read_phase = here.phase, c.read_step = here.step;
	if (!r.shared) note_operation(c, here.op);
}

void note_write(Cell& c) {
	memset(static_cast<void*>(&c), 0, sizeof c);
	c.written = true;
	c.write_op = here.op, c.write_block = here.block, c.write_thread = uint16_t(here.thread);
	c.write_phase = here.phase, c.write_step = here.step;
}

// near says where an address is that no allocation holds.
std::string near(uintptr_t p) {
	char address[32];
	snprintf(address, sizeof address, "%#zx", size_t(p));
	auto i = regions.upper_bound(p);
	if (i == regions.begin()) return address;
	const Region& r = (--i)->second;
	size_t past = p - r.at - r.size;
	if (past > 1 << 20) return address;
	return std::to_string(past) + " bytes past the end of " + std::to_string(r.size) + " bytes of " + r.name;
}

std::string thread_of(uint32_t block, uint32_t thread) {
	return "block " + std::to_string(block) + " thread " + std::to_string(thread);
}

[[noreturn]] void finding(const std::string& what, size_t n, const std::string& where) {
	fault(what + ": " + thread_of(here.block, here.thread) + ", " + std::to_string(n) + " bytes at " + where);
}

[[noreturn]] void race(const Region& r, const Cell& c, size_t n, bool write, bool with_write) {
	uint32_t op = with_write ? c.write_op : c.read_op, other = with_write ? 0 : unordered_reader(c, here.op);
	if (other) op = other;
	std::string whose = with_write ? "the write" : "the read";
	std::string why = op != here.op ? "not ordered after " + whose + " by " + by(op)
	                                : "races with " + whose + " by " + (with_write ? thread_of(c.write_block, c.write_thread) : thread_of(c.read_block, c.read_thread));
	finding(write ? "race of a write" : "race of a read", n, place(r, r.offset(&c)) + ", " + why);
}

} // namespace

void remember(const void* p, size_t n, Memory kind) {
	if (!checking) return;
	if (!image.size) dl_iterate_phdr(find_image, nullptr);
	Region& r = add(uintptr_t(p), n, kind == Memory::device ? "device memory" : "pinned memory");
	r.ask_written = kind == Memory::device;
}

void forget(const void* p) {
	if (!checking) return;
	last = nullptr;
	regions.erase(uintptr_t(p));
}

void fresh_shared(const void* p, size_t n) {
	if (!checking) return;
	if (!block_shared || block_shared->at != uintptr_t(p) || block_shared->size != n) {
		if (block_shared) regions.erase(block_shared->at);
		block_shared = nullptr;
		if (n == 0) return;
		block_shared = &add(uintptr_t(p), n, "shared memory");
		block_shared->shared = true;
		return;
	}
	memset(static_cast<void*>(block_shared->cells.get()), 0, (n + 1) / 2 * sizeof(Cell));
}

void own_records(const void* p, size_t n) { records = {uintptr_t(p), n}; }
void own_stack(const void* p, size_t n) { stack = {uintptr_t(p), n}; }

std::string whole(const void* p, size_t n, bool write, uint32_t op) {
	Region* r = checking ? find(uintptr_t(p)) : nullptr;
	if (!r) return "";
	const char* verb = write ? "copy into " : "copy out of ";
	for (Cell *c = r->first(uintptr_t(p)), *end = r->end(uintptr_t(p), n); c < end; c++) {
		if (!write && r->ask_written && !c->written) return "copy out of memory never written: " + place(*r, r->offset(c));
		if (c->write_op && c->write_op != op && !before(c->write_op, op))
			return verb + place(*r, r->offset(c)) + " is not ordered after the write by " + by(c->write_op);
		if (!write) {
			note_operation(*c, op);
			continue;
		}
		if (uint32_t reader = unordered_reader(*c, op))
			return verb + place(*r, r->offset(c)) + " is not ordered after the read by " + by(reader);
		memset(static_cast<void*>(c), 0, sizeof *c);
		c->written = true, c->write_op = op;
	}
	return "";
}

void access(uintptr_t p, size_t n, bool write) {
	if (!kernel_checks || stack.holds(p) || records.holds(p)) return;
	Region* r = find(p);
	if (!r) {
		if (image.holds(p) && !write) return;
		if (uintptr_t(&running) == p) return;
		finding(write ? "write outside of memory" : "read outside of memory", n, near(p));
	}
	if (p + n > r->at + r->size) finding(write ? "write past the end" : "read past the end", n, place(*r, p - r->at) + " of " + std::to_string(r->size));
	for (Cell *c = r->first(p), *end = r->end(p, n); c < end; c++) {
		if (!write && r->ask_written && !c->written) finding("read of memory never written", n, place(*r, r->offset(c)));
		if (!write_is_ordered(*c)) race(*r, *c, n, write, true);
		if (!write) {
			note_read(*r, *c);
			continue;
		}
		if (!reads_are_ordered(*c) || unordered_reader(*c, here.op)) race(*r, *c, n, true, false);
		note_write(*c);
	}
}

} // namespace sim
