// Options of the simulated driver, from the environment variable
//
//   GRADCUE_SIM=order=reverse,seed=3,delay=200,memory=67108864
//
//   order   in which the threads of a block are taken: forward (default),
//           reverse, random. A kernel must not depend on it.
//   seed    of random orders and delays, default 1
//   delay   greatest random pause before each operation of a stream, microseconds
//   memory  bytes of the device, default 1 GiB
#pragma once

#include <cstddef>
#include <string>

namespace sim {

enum class Order { forward, reverse, random };

struct Options {
	Order order = Order::forward;
	unsigned seed = 1;
	unsigned delay_us = 0;
	size_t memory = size_t(1) << 30;
};

// parse_options reads the text of the variable; it answers what is wrong with
// it, or nothing.
std::string parse_options(const char* text, Options& o);

// options are those of the process, set by cuInit.
extern Options options;

} // namespace sim
