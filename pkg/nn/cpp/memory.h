// Memory: our own, and how the C library treats what libtorch gives back.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace alamos {

void keep_freed_memory();

struct Free {
  void operator()(void *p) const { std::free(p); }
};
using Bytes = std::unique_ptr<void, Free>;

// Zeroed memory, aligned for vectors and not shared with another's cache line.
Bytes zeroed(size_t bytes);

}  // namespace alamos
