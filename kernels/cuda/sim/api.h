// The driver API, whose functions are all that this library shows.
#pragma once

#pragma GCC visibility push(default)
#include "cuda.h"
#pragma GCC visibility pop
