// Which operation comes before which, by the calls that were made and not by when
// they ran: vector clocks (Mattern, 1988) with one entry a stream. Entry 0 is the
// host.
//
//   an operation ticks its stream and takes the stream's clock and the host's
//   an event takes the clock of the stream it is recorded on
//   a stream that waits for an event, or a host that waits, merges that clock
//
// a comes before b when b's clock has reached a's tick on a's stream.
#pragma once

#include <cstdint>
#include <vector>

namespace sim {

typedef std::vector<uint32_t> Clock;

void merge(Clock& into, const Clock& from);

// new_stream is the number of a new stream, from 1, and its first clock. It may be
// the number of a stream of which the host has seen the end (old_stream): all that
// has seen an operation of the new one then comes after those of the old one.
int new_stream(Clock& clock);
void old_stream(int number, const Clock& clock);

// operation begins an operation on a stream, whose clock it advances, and
// answers its id, from 1. Stream 0 is the host: done before the call returns.
uint32_t operation(int stream, Clock& clock);

// host_saw merges a clock into the host's: all that is in it has ended.
void host_saw(const Clock& c);

// before reports whether operation a is ordered before b.
bool before(uint32_t a, uint32_t b);

// stream_of is the stream that an operation was given to.
int stream_of(uint32_t op);

} // namespace sim
