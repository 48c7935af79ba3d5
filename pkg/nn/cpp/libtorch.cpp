// Convolutions by libtorch: with weights packed once for the batch's shape
// (its mkldnn_prepacked operators, reached through the dispatcher since no
// public header declares them), or by at::conv2d where it lacks these.
#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/stack.h>
#include <c10/core/InferenceMode.h>

#include <cstring>
#include <string>
#include <vector>

#include "layers.h"
#include "maps.h"

namespace alamos {

namespace {

c10::optional<c10::OperatorHandle> find(const char *name) {
  return c10::Dispatcher::singleton().findSchema({name, ""});
}

const c10::optional<c10::OperatorHandle> &prepack() {
  static auto op = find("mkldnn_prepacked::conv2d_prepack");
  return op;
}

const c10::optional<c10::OperatorHandle> &run_packed() {
  static auto op = find("mkldnn_prepacked::conv2d_run");
  return op;
}

class Torch : public Layer {
 public:
  Torch(const ConvolutionShape &s, const float *w, const float *b) : shape(s) {
    c10::InferenceMode mode;
    auto type = s.half ? at::kBFloat16 : at::kFloat;
    // Copies: nothing here may point into the caller's memory.
    weight = at::from_blob(const_cast<float *>(w), {s.out, s.in, s.kernel, s.kernel}, at::kFloat)
                 .clone(at::MemoryFormat::ChannelsLast).to(type);
    bias = at::from_blob(const_cast<float *>(b), {s.out}, at::kFloat).clone().to(type);
    if (!prepack() || !run_packed()) return;
    std::vector<int64_t> one{1, 1}, pad{s.kernel / 2, s.kernel / 2};
    std::vector<int64_t> size{s.positions, s.in, 8, 8};
    torch::jit::Stack stack{weight, bias, one, pad, one, int64_t(1), size,
                            std::string(fused() ? "relu" : "none")};
    prepack()->callBoxed(&stack);
    packed = stack[0];
  }

  std::unique_ptr<Call> bind(const void *in, void *out, void *) const override;

  bool fused() const { return shape.act == ALAMOS_RELU && !shape.add; }

  at::Tensor convolve(const at::Tensor &x) const {
    at::Tensor y;
    if (packed.isNone()) {
      y = at::conv2d(x, weight, bias, 1, shape.kernel / 2);
      if (fused()) y.relu_();
    } else {
      torch::jit::Stack stack{x, packed};
      run_packed()->callBoxed(&stack);
      y = stack[0].toTensor();
    }
    return y.contiguous(at::MemoryFormat::ChannelsLast);
  }

  ConvolutionShape shape;
  at::Tensor weight, bias;
  c10::IValue packed;  // none without the operators
};

class TorchCall : public Layer::Call {
 public:
  TorchCall(const Torch &c, const void *in, void *out) : convolution(c), out(out) {
    c10::InferenceMode mode;
    const ConvolutionShape &s = c.shape;
    x = at::from_blob(const_cast<void *>(in), {s.positions, 8, 8, s.in},
                      s.half ? at::kBFloat16 : at::kFloat).permute({0, 3, 1, 2});
  }

  void run() override {
    c10::InferenceMode mode;
    at::Tensor y = convolution.convolve(x);
    if (convolution.shape.half)
      put(static_cast<const bf16 *>(y.data_ptr()), y.numel());
    else
      put(static_cast<const float *>(y.data_ptr()), y.numel());
  }

 private:
  template <class T>
  void put(const T *y, int64_t n) {
    const ConvolutionShape &s = convolution.shape;
    T *to = static_cast<T *>(out);
    if (s.add)
      add(to, y, to, n, s.act);
    else if (s.act == ALAMOS_IDENTITY || convolution.fused())
      std::memcpy(to, y, n * sizeof(T));
    else
      activate(y, to, n, s.act);
  }

  const Torch &convolution;
  at::Tensor x;
  void *out;
};

std::unique_ptr<Layer::Call> Torch::bind(const void *in, void *out, void *) const {
  return std::make_unique<TorchCall>(*this, in, out);
}

}  // namespace

std::unique_ptr<Layer> libtorch_convolution(const ConvolutionShape &shape,
                                            const float *weight,
                                            const float *bias) {
  return std::make_unique<Torch>(shape, weight, bias);
}

}  // namespace alamos
