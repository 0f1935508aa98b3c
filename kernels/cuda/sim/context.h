// The context of the process, and the first error that stays.
#pragma once

#include "api.h"

#include <string>

namespace sim {

// ready is what every call that needs a context begins with: the error that the
// call must answer, or CUDA_SUCCESS. GRADCUE_SIM=fail=N makes the N-th an error that
// stays. A context belongs to the operating-system
// thread that made it current.
CUresult ready();

// count_work is called after each operation of a stream: GRADCUE_SIM=fault=N makes
// the N-th an error that stays.
void count_work();

// stuck sets the error that all later calls answer, unless there is one.
void stuck(CUresult r, const std::string& what);

// stuck_result is that error, CUDA_SUCCESS when there is none.
CUresult stuck_result();

} // namespace sim
