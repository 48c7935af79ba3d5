#include "threads.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <unistd.h>

#include <mutex>
#include <thread>

namespace alamos {

namespace {

// Threads of GNU OpenMP that have nothing to do spin for milliseconds before
// they sleep, as long as it believes that every thread has a processor to itself.
// When another process needs one of these processors, they all wait for the one
// thread that does not run: training was 10 times slower beside one busy process.
// OMP_WAIT_POLICY=passive prevents it, but is read when the library is loaded,
// before we are asked. OpenMP spins a hundredth as long once it has more threads
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

}  // namespace

// OpenMP's number belongs to the calling OS thread, and libtorch sets it at a
// thread's first parallel loop: at::get_num_threads makes that happen before we
// set ours.
void set_openmp_threads(int n) {
  if (n > 1) patient_openmp();
  if (at::get_num_threads() != n) at::set_num_threads(n);
}

// OpenBLAS has one number for the process; another BLAS has no such function.
void set_openblas_threads(int n) {
  using set = void (*)(int);
  if (auto f = reinterpret_cast<set>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads")))
    f(n);
}

}  // namespace alamos
