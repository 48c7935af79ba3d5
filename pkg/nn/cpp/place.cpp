#include "place.h"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/cuda.h>

#include <sys/prctl.h>

#include <chrono>
#include <map>
#include <mutex>
#include <thread>

#include "guard.h"

namespace alamos {

namespace {

// The thread sleeps while it waits: CUDA's own waiting spins, and the processor
// has trees to descend meanwhile. Work for one game is soon done, and sleep is not
// that short: at first the thread only lets others pass.
void wait_for(const c10::Stream &stream) {
  using namespace std::chrono;
  // Linux lengthens every sleep by so many nanoseconds, 50,000 where nobody says less.
  thread_local const int precise = prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
  (void)precise;
  c10::impl::VirtualGuardImpl impl(stream.device_type());
  auto began = steady_clock::now();
  while (!impl.queryStream(stream)) {
    if (steady_clock::now() - began < microseconds(50))
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(microseconds(20));
  }
}

}  // namespace

namespace {

// How all of CUDA computes: the same every time, and in the precision asked for.
void settle_cuda() {
  static std::once_flag once;
  std::call_once(once, [] {
    at::globalContext().setAllowTF32CuDNN(false);  // single precision, not 10 bits
    at::globalContext().setAllowTF32CuBLAS(false);
    at::globalContext().setBenchmarkCuDNN(false);  // not the kernel that was fastest today
    at::globalContext().setDeterministicCuDNN(true);
  });
}

}  // namespace

c10::Device device_of(const char *name) {
  c10::Device d{std::string(name)};
  if (d.is_cpu()) return d;
  require(d.is_cuda(), "alamos: there is cpu and cuda");
  if (!d.has_index()) d.set_index(0);
  require(size_t(d.index()) < torch::cuda::device_count(), "alamos: libtorch finds no such CUDA device");
  settle_cuda();
  return d;
}

Queue::Queue(c10::Device device) {
  if (device.is_cpu()) return;
  stream_ = c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device);
}

const Queue &Queue::of_thread(c10::Device device) {
  thread_local std::map<std::string, Queue> queues;
  return queues.try_emplace(device.str(), device).first->second;
}

void Queue::wait() const {
  if (stream_) wait_for(*stream_);
}

void wait_for(c10::Device device) {
  if (!device.is_cpu()) wait_for(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
}

at::Tensor transfer_memory(c10::Device device, int64_t numbers, at::ScalarType type) {
  return at::zeros({numbers}, at::TensorOptions().dtype(type).pinned_memory(!device.is_cpu()));
}

}  // namespace alamos
