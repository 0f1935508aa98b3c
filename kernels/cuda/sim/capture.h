// Stream capture: what is queued on a capturing stream runs nothing and becomes a
// list of commands, from which a graph is made. Streams join a capture by waiting
// for an event that was recorded in it.
//
// A graph orders its operations as the streams would have: within a stream in the
// order of the calls, across streams by the events. So it is run by replaying the
// list on the stream it is launched on and a private one for each further stream
// of the capture.
#pragma once

#include "api.h"
#include "clock.h"

#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace sim {

typedef std::function<void(uint32_t op)> Work;

// Command is one of work, the record of a mark, or a wait for it.
struct Command {
	enum Kind { work, record, wait } kind;
	int branch; // of the capture's streams, 0 is where it began
	int mark;
	Work run;
};

// Capture is one in progress, or what an event remembers of it.
struct Capture {
	CUstream origin;
	CUstreamCaptureMode mode;
	std::thread::id thread;
	bool invalid = false, ended = false;
	std::vector<CUstream> branches;
	std::vector<Clock> clocks; // of each branch: what of the others it comes after
	std::vector<Command> list;
	int marks = 0;
};

// Captured is what an event keeps of its last record in a capture.
struct Captured {
	std::shared_ptr<Capture> capture; // null when the event was recorded outside
	int mark = 0;
	Clock clock;
};

// captured takes work that is queued on a capturing stream. It reports whether
// the stream captures; *r is then the answer of the call.
bool captured(CUstream s, const Work& w, CUresult* r);
bool captured_record(CUstream s, Captured& e, CUresult* r);
bool captured_wait(CUstream s, const Captured& e, CUresult* r);

// capturing reports whether a stream captures. spoil ends the capture of a stream
// with an error.
bool capturing(CUstream s);
void spoil(CUstream s);

// abandon drops the capture of a stream that ends.
void abandon(CUstream s);

// unsafe is what a call begins with that must not be made while the thread
// captures: it spoils the thread's captures and answers the error.
CUresult unsafe(CUresult r = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);

} // namespace sim

struct CUgraph_st {
	std::vector<sim::Command> list;
	int branches = 0, marks = 0;
};
