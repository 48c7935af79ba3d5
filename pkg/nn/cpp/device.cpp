// Devices: their queues of work, transfers to and from them, and the operations of
// inference that libtorch lacks. Nothing here needs CUDA's headers: libtorch has what
// it takes behind its own.
#include <ATen/ATen.h>
#include <c10/core/Device.h>
#include <c10/core/Stream.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <sys/prctl.h>
#include <torch/cuda.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

#include "alamos.h"
#include "guard.h"
#include "tensors.h"

using alamos::guard;
using alamos::require;
using alamos::tensor;
using c10::impl::VirtualGuardImpl;

namespace {

// The device of a name. One that is not there throws.
c10::Device device_of(const char *name) {
  c10::Device d{std::string(name)};
  if (d.is_cpu()) return d;
  require(d.is_cuda(), "alamos: there is cpu and cuda");
  if (!d.has_index()) d.set_index(0);
  require(size_t(d.index()) < torch::cuda::device_count(), "alamos: libtorch finds no such CUDA device");
  return d;
}

at::Tensor activate(at::Tensor x, int act) {
  switch (act) {
    case ALAMOS_RELU:
      return x.relu_();
    case ALAMOS_MISH:  // which libtorch may lack in half precision
      return at::mish(x.to(at::kFloat)).to(x.scalar_type());
    default:
      return x;
  }
}

// Whether cuDNN does what follows a convolution in the same kernel, by precision (0
// single, 1 half) and whether there is something to add. It is tried once: libtorch
// does not promise it for every type and every version.
std::atomic<bool> cudnn_fuses[2][2] = {{{true}, {true}}, {{true}, {true}}};

// relu(conv(x) + add) by one kernel of cuDNN. With nothing to add, x times 0 is added:
// libtorch's own operator without an addend has cuDNN add what its output happens to
// hold, times 0, and that may be no number.
at::Tensor fused(const at::Tensor &x, const at::Tensor &weight, const at::Tensor &bias, const at::Tensor &add) {
  int64_t pad = weight.size(2) / 2;
  return at::cudnn_convolution_add_relu(x, weight, add.defined() ? add : x, at::Scalar(add.defined() ? 1 : 0),
                                        bias, {1, 1}, {pad, pad}, {1, 1}, 1);
}

at::Tensor convolve(const at::Tensor &x, const at::Tensor &weight, const at::Tensor &bias,
                    const at::Tensor &add, int act) {
  bool square = weight.size(0) == weight.size(1);
  bool half = weight.scalar_type() != at::kFloat;
  auto &fuses = cudnn_fuses[half][add.defined()];
  if (act == ALAMOS_RELU && x.is_cuda() && (square || add.defined()) && fuses) {
    try {
      return fused(x, weight, bias, add);
    } catch (const c10::OutOfMemoryError &) {
      throw;
    } catch (const std::exception &e) {  // of libtorch, or of the cuDNN in it
      if (fuses.exchange(false))
        std::fprintf(stderr, "alamos: networks will be slower here, as cuDNN cannot fuse convolutions in %s: %s\n",
                     half ? "bf16" : "fp32", e.what());
    }
  }
  at::Tensor y = at::conv2d(x, weight, bias, 1, weight.size(2) / 2);
  if (add.defined()) y.add_(add);
  return activate(y, act);
}

}  // namespace

char *alamos_device_check(const char *name) {
  return guard([&] {
    if (device_of(name).is_cpu()) return;
    static std::once_flag once;
    std::call_once(once, [] {
      at::globalContext().setAllowTF32CuDNN(false);  // single precision, not 10 bits
      at::globalContext().setAllowTF32CuBLAS(false);
      at::globalContext().setBenchmarkCuDNN(false);  // not the kernel that was fastest today
      at::globalContext().setDeterministicCuDNN(true);
    });
  });
}

char *alamos_device_enter(const char *name) {
  return guard([&] {
    c10::Device d = device_of(name);
    // Once: for every pair of a thread and a queue libtorch keeps a workspace for good.
    thread_local bool entered = false;
    if (d.is_cpu() || entered) return;
    VirtualGuardImpl impl(d.type());
    impl.setDevice(d);
    impl.exchangeStream(impl.getStreamFromGlobalPool(d));
    entered = true;
  });
}

// CUDA's own waiting spins, and the processor has trees to descend meanwhile. Work
// for one game is soon done, and sleep is not that short: at first the thread only
// yields.
char *alamos_device_wait(const char *name) {
  return guard([&] {
    using namespace std::chrono;
    c10::Device d = device_of(name);
    if (d.is_cpu()) return;
    // Linux lengthens every sleep by so many nanoseconds, 50,000 by default.
    thread_local const int precise = prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
    (void)precise;
    VirtualGuardImpl impl(d.type());
    c10::Stream stream = impl.getStream(d);
    auto began = steady_clock::now();
    while (!impl.queryStream(stream)) {
      if (steady_clock::now() - began < microseconds(50))
        std::this_thread::yield();
      else
        std::this_thread::sleep_for(microseconds(20));
    }
  });
}

char *alamos_transfer_memory(const char *name, int64_t numbers, int single, void **out) {
  return guard([&] {
    auto options = at::TensorOptions().dtype(single ? at::kFloat : at::kLong);
    *out = new at::Tensor(at::zeros({numbers}, options.pinned_memory(!device_of(name).is_cpu())));
  });
}

char *alamos_send(const void *from, const char *name, void **out) {
  return guard([&] { *out = new at::Tensor(tensor(from).to(device_of(name), /*non_blocking=*/true)); });
}

char *alamos_copy(const void *to, const void *from, int wait) {
  return guard([&] { tensor(to).copy_(tensor(from), /*non_blocking=*/wait == 0); });
}

char *alamos_expand_on(const void *packed, const void *constant, int bf16, void **out) {
  return guard([&] {
    const at::Tensor &words = tensor(packed);
    auto type = bf16 ? at::kBFloat16 : at::kFloat;
    int64_t n = words.size(0), planes = words.size(1);
    at::Tensor square = at::arange(64, words.options()).view({1, 64, 1});
    at::Tensor x = at::bitwise_and(at::bitwise_right_shift(words.unsqueeze(1), square), at::Scalar(1)).to(type);
    if (constant) {
      // The float32 of a constant plane is the lower half of its word.
      at::Tensor v = words.view(at::kFloat).view({n, 1, planes, 2}).select(3, 0).to(type);
      x = at::where(tensor(constant), v, x);
    }
    *out = new at::Tensor(x.view({n, 8, 8, planes}).permute({0, 3, 1, 2}));
  });
}

char *alamos_convolve(const void *x, const void *weight, const void *bias, const void *add, int act,
                      void **out) {
  return guard([&] {
    *out = new at::Tensor(convolve(tensor(x), tensor(weight), tensor(bias), add ? tensor(add) : at::Tensor(), act));
  });
}
