#include "memory.h"

#include <cstring>
#include <new>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace alamos {

// A training step allocates and frees the same tensors again and again. By
// default the C library returns the big ones to the system each time and asks
// for them anew, and the kernel zeroes every page of them: up to half of the
// time of a step. Told so, it keeps them for the next step. The process then
// holds what its largest step needed; arenas.c keeps that from being held by many
// arenas.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that glibc accepts
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
#endif
}

Bytes zeroed(size_t bytes) {
  constexpr size_t line = 128;
  bytes = (bytes + line) / line * line;
  Bytes p(std::aligned_alloc(line, bytes));
  if (!p) throw std::bad_alloc();
  std::memset(p.get(), 0, bytes);
  return p;
}

}  // namespace alamos
