#include "dense.h"

#include <algorithm>

#include "layers.h"
#include "maps.h"

namespace alamos {

namespace {

int by64(int n) { return (n + 63) / 64 * 64; }

}  // namespace

DenseHead::DenseHead(int channels, bool pooled, const float *conv, float bias)
    : pooled_(pooled), channels_(channels), conv_bias_(bias) {
  if (conv) {
    conv_.assign(conv, conv + channels);
    conv_.resize(padded(channels));
  }
  features_ = wide_ = conv ? 64 : (pooled ? 2 : 64) * padded(channels);
}

int DenseHead::place(int i) const {
  if (!layers_.empty() || !conv_.empty()) return i;
  return i / channels_ * padded(channels_) + i % channels_;
}

void DenseHead::hidden(int in, int out, const float *weight, const float *bias) {
  Layer l{wide_, by64(out), {}, {}};
  l.weight.resize(int64_t(l.in) * l.out);
  for (int o = 0; o < out; o++)
    for (int i = 0; i < in; i++)
      l.weight[(int64_t(o / 64) * l.in + place(i)) * 64 + o % 64] = weight[int64_t(o) * in + i];
  l.bias.assign(bias, bias + out);
  l.bias.resize(l.out);
  wide_ = l.out;
  layers_.push_back(std::move(l));
}

void DenseHead::output(int in, int out, const float *weight, const float *bias) {
  weight_.resize(int64_t(out) * wide_);
  for (int o = 0; o < out; o++)
    for (int i = 0; i < in; i++) weight_[int64_t(o) * wide_ + place(i)] = weight[int64_t(o) * in + i];
  bias_.assign(bias, bias + out);
  outputs_ = out;
}

void DenseHead::start(Work &w, int n) const {
  int64_t rows = (n + group - 1) / group * group;
  int widest = 0;
  for (const Layer &l : layers_) widest = std::max(widest, l.out);
  auto grow = [](std::vector<float> &v, int64_t size) {
    if (int64_t(v.size()) < size) v.resize(size);
  };
  grow(w.features, rows * features_);
  grow(w.x, rows * widest);
  grow(w.y, rows * widest);
  grow(w.out, int64_t(n) * outputs_);
}

template <class T>
void DenseHead::read(Work &w, int at, int n, const T *maps) const {
  int wide = padded(channels_);
  int64_t numbers = int64_t(64) * wide;
  float *to = &w.features[int64_t(at) * features_];
  if (pooled_) {
    for (int i = 0; i < n; i++, to += features_) pool_squares(maps + i * numbers, wide, to, to + wide);
    return;
  }
  if (conv_.empty()) {
    for (int64_t i = 0; i < n * numbers; i++) to[i] = to_float(maps[i]);
    return;
  }
  for (int i = 0; i < n; i++)
    squeeze(maps + i * numbers, conv_.data(), conv_bias_, wide, to + i * 64);
}

template void DenseHead::read(Work &, int, int, const float *) const;
template void DenseHead::read(Work &, int, int, const bf16 *) const;

void DenseHead::run(Work &w, int n) const {
  const float *x = w.features.data();
  for (const Layer &l : layers_) {
    dense_relu(x, n, l.weight.data(), l.bias.data(), l.in, l.out, w.y.data());
    std::swap(w.x, w.y);
    x = w.x.data();
  }
  for (int i = 0; i < n; i++, x += wide_)
    for (int o = 0; o < outputs_; o++)
      w.out[int64_t(i) * outputs_ + o] = bias_[o] + dot(x, &weight_[int64_t(o) * wide_], wide_, x);
}

}  // namespace alamos
