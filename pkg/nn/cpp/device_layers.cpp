#include "device_layers.h"

#include <atomic>
#include <cstdio>

#include "attention.h"
#include "layer.h"

namespace alamos {

namespace {

at::ScalarType map_type(bool half) { return half ? at::kBFloat16 : at::kFloat; }

// [channels] as [1, C, 1, 1], padded, to be spread over maps.
at::Tensor per_channel(const float *v, int channels, bool half, c10::Device device) {
  return pad_channels(on_device(v, {channels}, device)).to(map_type(half)).view({1, -1, 1, 1});
}

// Whether cuDNN does what follows a convolution in the same kernel, by precision (0
// single, 1 half) and whether there is something to add. It is tried once: libtorch
// does not promise it for every type and every version.
std::atomic<bool> cudnn_fuses[2][2] = {{{true}, {true}}, {{true}, {true}}};

}  // namespace

at::Tensor on_device(const float *v, at::IntArrayRef shape, c10::Device device) {
  // A copy: nothing may point into the caller's memory.
  return at::from_blob(const_cast<float *>(v), shape, at::kFloat).clone().to(device);
}

at::Tensor pad_channels(const at::Tensor &x) {
  int channels = int(x.size(-1));
  return at::constant_pad_nd(x, {0, padded(channels) - channels});
}

at::Tensor activate_(at::Tensor x, alamos_activation act) {
  switch (act) {
    case ALAMOS_RELU:
      return x.relu_();
    case ALAMOS_MISH:  // which libtorch may lack in half precision
      return at::mish(x.to(at::kFloat)).to(x.scalar_type());
    default:
      return x;
  }
}

DeviceConvolution::DeviceConvolution(c10::Device device, int in, int out, int kernel, bool half,
                                     alamos_activation act, const float *weight, const float *bias)
    : act_(act) {
  at::Tensor w = at::constant_pad_nd(on_device(weight, {out, in, kernel, kernel}, device),
                                     {0, 0, 0, 0, 0, padded(in) - in, 0, padded(out) - out});
  weight_ = w.to(map_type(half)).contiguous(at::MemoryFormat::ChannelsLast);
  bias_ = pad_channels(on_device(bias, {out}, device)).to(map_type(half));
}

// With nothing to add it is x times 0. libtorch's own operator without an addend has
// cuDNN add what its output happens to hold, times 0, and that may be no number.
at::Tensor DeviceConvolution::fused(const at::Tensor &x, const at::Tensor &add) const {
  int64_t pad = weight_.size(2) / 2;
  return at::cudnn_convolution_add_relu(x, weight_, add.defined() ? add : x, at::Scalar(add.defined() ? 1 : 0),
                                        bias_, {1, 1}, {pad, pad}, {1, 1}, 1);
}

at::Tensor DeviceConvolution::operator()(const at::Tensor &x, const at::Tensor &add) const {
  bool square = weight_.size(0) == weight_.size(1);
  bool half = weight_.scalar_type() != at::kFloat;
  auto &fuses = cudnn_fuses[half][add.defined()];
  if (act_ == ALAMOS_RELU && x.is_cuda() && (square || add.defined()) && fuses) {
    try {
      return fused(x, add);
    } catch (const c10::OutOfMemoryError &) {
      throw;
    } catch (const std::exception &e) {  // of libtorch, or of the cuDNN in it
      if (fuses.exchange(false))
        std::fprintf(stderr, "alamos: networks will be slower here, as cuDNN cannot fuse convolutions in %s: %s\n",
                     half ? "bf16" : "fp32", e.what());
    }
  }
  at::Tensor y = at::conv2d(x, weight_, bias_, 1, weight_.size(2) / 2);
  if (add.defined()) y.add_(add);
  return activate_(y, act_);
}

DeviceScale::DeviceScale(c10::Device device, int channels, bool half, alamos_activation act,
                         const float *scale, const float *shift)
    : scale_(per_channel(scale, channels, half, device)), shift_(per_channel(shift, channels, half, device)), act_(act) {}

at::Tensor DeviceScale::operator()(const at::Tensor &x) const {
  return activate_(at::addcmul(shift_, x, scale_), act_);
}

DeviceAttention::DeviceAttention(c10::Device device, int channels, int hidden, alamos_activation act,
                                 const float *w1, const float *w2, const float *spatial)
    : channels_(channels), act_(act) {
  w1_ = pad_channels(on_device(w1, {hidden, channels}, device));
  w2_ = at::constant_pad_nd(on_device(w2, {channels, hidden}, device), {0, 0, 0, padded(channels) - channels});
  if (spatial) spatial_ = on_device(spatial, {1, 2, attention_kernel, attention_kernel}, device);
}

at::Tensor DeviceAttention::excite(const at::Tensor &x) const {
  return at::linear(at::linear(x, w1_).relu_(), w2_);
}

at::Tensor DeviceAttention::operator()(const at::Tensor &x, const at::Tensor &add) const {
  at::Tensor sum = excite(x.mean(at::IntArrayRef{2, 3}, false, at::kFloat));
  if (spatial_.defined()) sum.add_(excite(x.amax({2, 3}).to(at::kFloat)));
  at::Tensor y = x * sum.sigmoid_().to(x.scalar_type()).unsqueeze(2).unsqueeze(3);
  if (spatial_.defined()) {
    at::Tensor real = y.narrow(1, 0, channels_);
    at::Tensor maps = at::cat({real.mean(at::IntArrayRef{1}, true, at::kFloat), real.amax({1}, true).to(at::kFloat)}, 1);
    y.mul_(at::conv2d(maps, spatial_, {}, 1, attention_kernel / 2).sigmoid_());
  }
  if (add.defined()) y.add_(add);
  return activate_(y, act_);
}

DeviceHead::DeviceHead(c10::Device device, int channels, const float *conv, float bias)
    : device_(device), channels_(channels) {
  if (!conv) return;
  conv_ = on_device(conv, {1, channels}, device);
  conv_bias_ = on_device(&bias, {1}, device);
}

void DeviceHead::append(int in, int out, bool relu, const float *weight, const float *bias) {
  layers_.push_back({on_device(weight, {out, in}, device_), on_device(bias, {out}, device_), relu});
}

at::Tensor DeviceHead::operator()(const at::Tensor &x) const {
  int64_t n = x.size(0);
  at::Tensor y = x.permute({0, 2, 3, 1}).narrow(3, 0, channels_).to(at::kFloat).reshape({n * 64, channels_});
  if (conv_.defined()) y = at::linear(y, conv_, conv_bias_).relu_();
  y = y.reshape({n, -1});
  for (const Layer &l : layers_) {
    y = at::linear(y, l.weight, l.bias);
    if (l.relu) y.relu_();
  }
  return y;
}

at::Tensor constant_marks(const at::Tensor &marks, c10::Device device) {
  at::Tensor set = marks.to(at::kBool);
  return set.any().item<bool>() ? set.to(device) : at::Tensor();
}

at::Tensor expand_on_device(const at::Tensor &words, const at::Tensor &constant, at::ScalarType type) {
  int64_t n = words.size(0), planes = words.size(1);
  at::Tensor square = at::arange(64, words.options()).view({1, 64, 1});
  at::Tensor x = at::bitwise_and(at::bitwise_right_shift(words.unsqueeze(1), square), at::Scalar(1)).to(type);
  if (constant.defined()) {
    // The float32 of a constant plane is the lower half of its word.
    at::Tensor v = words.view(at::kFloat).view({n, 1, planes, 2}).select(3, 0).to(type);
    x = at::where(constant, v, x);
  }
  return x.view({n, 8, 8, planes}).permute({0, 3, 1, 2});
}

}  // namespace alamos
