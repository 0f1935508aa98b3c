#include "executor.h"
#include "options.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <random>
#include <sys/mman.h>

#ifndef __x86_64__
#error "the switch of fibers is written for x86-64"
#endif

// sim_switch saves the registers that a callee must keep, stores the stack
// pointer at *save and goes on where the stack of load was left.
asm(R"(
.text
.globl sim_switch
.hidden sim_switch
.type sim_switch,@function
sim_switch:
	pushq %rbp
	pushq %rbx
	pushq %r12
	pushq %r13
	pushq %r14
	pushq %r15
	movq %rsp, (%rdi)
	movq %rsi, %rsp
	popq %r15
	popq %r14
	popq %r13
	popq %r12
	popq %rbx
	popq %rbp
	ret
)");
extern "C" void sim_switch(void** save, void* load);

namespace sim {

Kernel* Kernel::first;
Thread* running;
std::mutex device;
std::vector<Fiber> fibers;
std::vector<Warp> warps;
unsigned block_threads;

namespace {

constexpr size_t stack_bytes = 64 << 10;

const Launch* launch;
void* scheduler_sp;
std::string failure;
uint32_t phase;
std::minstd_rand dice;

thread_local bool in_fiber; // for the signal handler
struct sigaction old_segv, old_bus;

void enter();

// prepare makes a fiber begin at enter. Stacks are whole pages: their tops are
// staggered, or all would lie in one set of the cache.
void prepare(Fiber& f) {
	void** s = reinterpret_cast<void**>(f.stack + stack_bytes - f.linear % 61 * 64);
	*--s = nullptr;
	*--s = reinterpret_cast<void*>(enter);
	for (int i = 0; i < 6; i++) *--s = nullptr;
	f.sp = s;
}

void resume(Fiber& f) {
	running = &f;
	here.thread = f.linear, here.phase = phase, here.step = warps[f.linear / 32].step;
	own_stack(f.stack, stack_bytes);
	in_fiber = true, kernel_checks = checking;
	sim_switch(&scheduler_sp, f.sp);
	in_fiber = false, kernel_checks = false;
}

void enter() {
	launch->kernel->call(launch->params);
	copy_wait(0);
	self().state = State::ended;
	pause();
	abort(); // an ended fiber is not resumed
}

// on_signal makes a fault of a segmentation fault inside a kernel; any other goes
// to whom it went before.
void on_signal(int number, siginfo_t* info, void* context) {
	if (in_fiber) {
		char address[64];
		snprintf(address, sizeof address, "illegal address %p", info->si_addr);
		Thread& t = *running;
		fault(std::string(address) + ": block " + std::to_string(t.block.x) + "," + std::to_string(t.block.y) + "," + std::to_string(t.block.z) +
		      " thread " + std::to_string(t.linear));
	}
	const struct sigaction& old = number == SIGSEGV ? old_segv : old_bus;
	if (old.sa_flags & SA_SIGINFO) {
		old.sa_sigaction(number, info, context);
	} else if (old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN) {
		old.sa_handler(number);
	} else {
		sigaction(number, &old, nullptr); // the instruction is tried again
	}
}

void catch_signals() {
	static std::once_flag once;
	std::call_once(once, [] {
		struct sigaction a {};
		a.sa_sigaction = on_signal;
		a.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
		sigaction(SIGSEGV, &a, &old_segv);
		sigaction(SIGBUS, &a, &old_bus);
		dice.seed(options.seed);
	});
}

// open_barrier lets the waiting threads on when all of the block wait.
bool open_barrier(unsigned waiting, unsigned ended) {
	if (waiting == 0 || waiting + ended != block_threads) return false;
	const Fiber* first = nullptr;
	for (unsigned i = 0; i < block_threads; i++) {
		const Fiber& f = fibers[i];
		if (f.state != State::at_barrier) continue;
		if (!first) first = &f;
		if (f.at.line != first->at.line) failure = "barrier divergence: threads wait at " + text(first->at) + " and at " + text(f.at);
	}
	if (ended) failure = "barrier divergence: " + std::to_string(ended) + " threads have ended while others wait at " + text(first->at);
	if (!failure.empty()) return false;
	for (unsigned i = 0; i < block_threads; i++)
		if (fibers[i].state == State::at_barrier) fibers[i].state = State::ready;
	phase++;
	return true;
}

// round lets each thread that can run do so once; it reports whether one did.
bool round(const std::vector<unsigned>& order) {
	bool ran = false;
	for (unsigned i : order) {
		if (fibers[i].state != State::ready) continue;
		resume(fibers[i]);
		ran = true;
		if (!failure.empty()) return false;
	}
	return ran;
}

unsigned count(State s) {
	unsigned n = 0;
	for (unsigned i = 0; i < block_threads; i++) n += fibers[i].state == s;
	return n;
}

void run_block(Dim3 at, unsigned char* shared, std::vector<unsigned>& order) {
	memset(shared, 0xff, launch->shared); // NaN, or -1
	fresh_shared(shared, launch->shared);
	if (options.order == Order::random) std::shuffle(order.begin(), order.end(), dice);
	here.block = at.x + launch->grid.x * (at.y + launch->grid.y * at.z);
	phase = 0;
	for (auto& w : warps) w.step = 0, w.arrived = 0;
	for (unsigned i = 0; i < block_threads; i++) {
		Fiber& f = fibers[i];
		f.state = State::ready, f.block = at, f.shared = shared;
		f.copies.clear(), f.groups.clear();
		prepare(f);
	}
	for (;;) {
		bool ran = round(order);
		unsigned ended = count(State::ended);
		if (!failure.empty() || ended == block_threads) return;
		if (open_barrier(count(State::at_barrier), ended) || ran) continue;
		if (!failure.empty()) return;
		for (unsigned i = 0; i < block_threads; i++) {
			if (fibers[i].state == State::ended) continue;
			failure = "the block waits for ever: " + std::to_string(ended) + " of " + std::to_string(block_threads) + " threads have ended, thread " +
			          std::to_string(i) + " waits at " + text(fibers[i].at);
			return;
		}
	}
}

// muster makes the fibers of a block, with what is the same in all blocks.
std::vector<unsigned> muster() {
	const Dim3& b = launch->block;
	block_threads = b.x * b.y * b.z;
	if (fibers.size() < block_threads) fibers.resize(block_threads);
	warps.resize((block_threads + 31) / 32);
	own_records(fibers.data(), fibers.size() * sizeof(Fiber));
	std::vector<unsigned> order(block_threads);
	for (unsigned i = 0; i < block_threads; i++) {
		Fiber& f = fibers[i];
		if (!f.stack) {
			f.stack = static_cast<unsigned char*>(mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
			if (f.stack == MAP_FAILED) abort();
		}
		f.linear = i, f.index = {i % b.x, i / b.x % b.y, i / (b.x * b.y)};
		f.block_size = b, f.grid_size = launch->grid;
		order[i] = options.order == Order::reverse ? block_threads - 1 - i : i;
	}
	return order;
}

} // namespace

std::string run(const Launch& l) {
	std::lock_guard<std::mutex> g(device);
	catch_signals();
	launch = &l;
	failure.clear();
	here.op = l.op;
	std::vector<unsigned> order = muster();
	// Shared memory ends at a page that cannot be touched.
	size_t pages = (l.shared + 4095) / 4096 * 4096;
	auto* area = static_cast<unsigned char*>(mmap(nullptr, pages + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	if (area == MAP_FAILED) return "no memory for the shared memory of a block";
	mprotect(area + pages, 4096, PROT_NONE);
	unsigned char* shared = area + pages - (l.shared + 15) / 16 * 16;
	for (unsigned z = 0; z < l.grid.z && failure.empty(); z++)
		for (unsigned y = 0; y < l.grid.y && failure.empty(); y++)
			for (unsigned x = 0; x < l.grid.x && failure.empty(); x++) run_block({x, y, z}, shared, order);
	fresh_shared(nullptr, 0);
	munmap(area, pages + 4096);
	return failure.empty() ? "" : "kernel " + std::string(l.kernel->name) + ": " + failure;
}

void fault(const std::string& what) {
	kernel_checks = false;
	if (failure.empty()) failure = what;
	self().state = State::ended;
	pause();
	abort(); // the grid has ended
}

void pause() {
	kernel_checks = false;
	sim_switch(&self().sp, scheduler_sp);
}

std::string text(Place p) {
	std::string file = p.file;
	return file.substr(file.rfind('/') + 1) + ":" + std::to_string(p.line);
}

void barrier(Place at) {
	self().at = at;
	self().state = State::at_barrier;
	pause();
}

} // namespace sim
