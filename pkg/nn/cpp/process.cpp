#include "process.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstring>
#include <mutex>
#include <new>
#include <thread>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "alamos.h"

namespace alamos {

namespace {

// Threads of GNU OpenMP that have nothing to do spin for milliseconds before
// they sleep, as long as it believes that every thread has a processor to itself.
// When another process needs one of these processors, they all wait for the one
// thread that does not run: training was 10 times slower beside one busy process.
// OMP_WAIT_POLICY=passive prevents it, but is read when the library is loaded,
// before we are called. OpenMP spins a hundredth as long once it has more threads
// than there are processors, so we give it that many: a team that sleeps forever.
void patient_openmp() {
  static std::once_flag once;
  std::call_once(once, [] {
    std::thread([] {
      int before = at::get_num_threads();
      int crowd = int(std::thread::hardware_concurrency()) + 1;
      at::set_num_threads(crowd);
      at::ones({crowd, 1 << 16}).add_(1);  // enough work for all
      at::set_num_threads(before);
      for (;;) pause();
    }).detach();
  });
}

// OpenBLAS has one number for the process; another BLAS has no such function. Its
// idle threads spin, and cost a step of a small network more than they save (2 blocks
// of 32 channels with conv-linear: 3.8 instead of 3.2 thousand positions/s on two
// cores).
void one_openblas_thread() {
  using set = void (*)(int);
  if (auto f = reinterpret_cast<set>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads")))
    f(1);
}

// A training step allocates and frees the same tensors again and again. By
// default the C library returns the big ones to the system each time, and the kernel
// zeroes every page of the next: up to half of the time of a step. With these
// settings it keeps them for the next step. The process then holds what its largest
// step needed.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that glibc accepts
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
#endif
}

}  // namespace

// OpenMP's number belongs to the calling OS thread, and libtorch sets it at a
// thread's first parallel loop: at::get_num_threads makes that happen before we
// set ours.
void set_openmp_threads(int n) {
  if (n > 1) patient_openmp();
  if (at::get_num_threads() != n) at::set_num_threads(n);
}

bool has_bf16() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl");
#else
  return false;
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

void alamos_set_threads(int openmp) {
  alamos::set_openmp_threads(openmp);
  alamos::one_openblas_thread();
  alamos::keep_freed_memory();
}
