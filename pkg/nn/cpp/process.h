// The process: threads that libtorch uses, and memory.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace alamos {

// Threads that libtorch uses for what the calling OS thread asks of it.
void set_openmp_threads(int n);

// Whether this processor computes with bfloat16 in hardware.
bool has_bf16();

struct Free {
  void operator()(void *p) const { std::free(p); }
};
using Bytes = std::unique_ptr<void, Free>;

// Zeroed memory, aligned for vectors and not shared with another's cache line.
Bytes zeroed(size_t bytes);

}  // namespace alamos
