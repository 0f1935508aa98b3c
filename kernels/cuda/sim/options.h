// Options of the simulated driver, from the environment variable
//
//   GRADCUE_SIM=order=reverse,seed=3,delay=200,memory=67108864
//
//   order   in which the threads of a block are taken: forward (default),
//           reverse, random. A kernel must not depend on it.
//   seed    of random orders and delays, default 1
//   delay   greatest random pause before each operation of a stream, microseconds
//   memory  bytes of the device, default 1 GiB
//   pinned  most bytes of pinned host memory, default 64 GiB
//   capability  compute capability of the device, default 80
//   ptx     newest PTX version that the driver takes, default 84; it sets the
//           driver's CUDA version too
//   lazy    1 (default): a kernel is loaded when it is launched or asked for its
//           attributes, and a capture cannot load it; 2: when it is launched
//   graphs  0 for a driver that cannot capture streams, default 1
//   fail    the number of the call, among those that need a context, at which the
//           device is lost, from 1; 0 = never
//   fault   the number of the operation of a stream after which the device is lost
#pragma once

#include <cstddef>
#include <string>

namespace sim {

enum class Order { forward, reverse, random };

struct Options {
	Order order = Order::forward;
	unsigned seed = 1;
	unsigned delay_us = 0;
	size_t memory = size_t(1) << 30, pinned = size_t(1) << 36;
	unsigned capability = 80, ptx = 84;
	unsigned lazy = 1;
	bool graphs = true;
	unsigned long long fail = 0, fault = 0;
};

// parse_options reads the text of the variable; it answers what is wrong with
// it, or nothing.
std::string parse_options(const char* text, Options& o);

// options are those of the process, set by cuInit.
extern Options options;

} // namespace sim
