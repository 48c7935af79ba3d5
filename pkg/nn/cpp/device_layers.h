// The layers of the evaluator on a device: functions of libtorch's tensors. Maps
// are [N, C, 8, 8] with channels last in memory, C padded as on the processor:
// matrix units work on groups of channels too.
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "activation.h"

namespace alamos {

// Weights in float32, of a shape, on a device.
at::Tensor on_device(const float *v, at::IntArrayRef shape, c10::Device device);

// x with zeros after the channels, which are its last dimension, as maps are padded.
at::Tensor pad_channels(const at::Tensor &x);

// act(x), which may be computed in the place of x.
at::Tensor activate_(at::Tensor x, alamos_activation act);

// act(conv(x) + add), stride 1, padding kernel/2.
class DeviceConvolution {
 public:
  // weight is [out][in][kernel][kernel], bias [out], not padded.
  DeviceConvolution(c10::Device device, int in, int out, int kernel, bool half,
                    alamos_activation act, const float *weight, const float *bias);

  // add is not defined for nothing to add.
  at::Tensor operator()(const at::Tensor &x, const at::Tensor &add) const;

 private:
  at::Tensor fused(const at::Tensor &x, const at::Tensor &add) const;

  at::Tensor weight_, bias_;
  alamos_activation act_;
};

// act(scale[c] x + shift[c]).
class DeviceScale {
 public:
  DeviceScale(c10::Device device, int channels, bool half, alamos_activation act,
              const float *scale, const float *shift);
  at::Tensor operator()(const at::Tensor &x) const;

 private:
  at::Tensor scale_, shift_;  // [1, C, 1, 1]
  alamos_activation act_;
};

// act(attention(x) + add), see attention.h.
class DeviceAttention {
 public:
  DeviceAttention(c10::Device device, int channels, int hidden, alamos_activation act,
                  const float *w1, const float *w2, const float *spatial);
  at::Tensor operator()(const at::Tensor &x, const at::Tensor &add) const;

 private:
  at::Tensor excite(const at::Tensor &x) const;

  int channels_;
  at::Tensor w1_, w2_, spatial_;  // spatial_: not defined in squeeze-and-excitation
  alamos_activation act_;
};

// A head of dense layers over maps, in single precision: see alamos_model_head.
class DeviceHead {
 public:
  DeviceHead(c10::Device device, int channels, const float *conv, float bias);
  // Appends a layer, weight [out][in], bias [out], with ReLU unless it is the last.
  void append(int in, int out, bool relu, const float *weight, const float *bias);
  // The outputs, [N, outputs].
  at::Tensor operator()(const at::Tensor &x) const;

  int64_t outputs() const { return layers_.back().bias.size(0); }

 private:
  struct Layer {
    at::Tensor weight, bias;
    bool relu;
  };

  c10::Device device_;
  int channels_;
  at::Tensor conv_, conv_bias_;
  std::vector<Layer> layers_;
};

// Which planes are constant, marks [P] of bytes, on a device: not defined where none is.
at::Tensor constant_marks(const at::Tensor &marks, c10::Device device);

// Packed planes, words [N, P] of int64, as maps. constant is [P] of bool, or not
// defined where no plane is.
at::Tensor expand_on_device(const at::Tensor &words, const at::Tensor &constant, at::ScalarType type);

}  // namespace alamos
