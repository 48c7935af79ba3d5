// A head of dense layers over the maps of a position, in single precision: the
// value's, and that of the moves left.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels.h"

namespace alamos {

class DenseHead {
 public:
  DenseHead() = default;

  // A head over maps [64][channels]. Its features are those numbers; if pooled, their
  // means and then their maxima over the squares; or, where conv is not null, the 64
  // of a 1x1 convolution to one channel (conv [channels], bias), with ReLU.
  DenseHead(int channels, bool pooled, const float *conv, float bias);

  // Appends a layer, weight [out][in], bias [out]: hidden ones with ReLU, and at
  // last the output.
  void hidden(int in, int out, const float *weight, const float *bias);
  void output(int in, int out, const float *weight, const float *bias);

  // What one caller computes with.
  struct Work {
    std::vector<float> features, x, y;
    std::vector<float> out;  // [n][outputs]
  };

  // Makes room for n positions.
  void start(Work &w, int n) const;
  // Reads the maps of n positions, the first of which is position at of all.
  template <class T>
  void read(Work &w, int at, int n, const T *maps) const;
  // Computes the outputs of n positions. One's do not depend on the others.
  void run(Work &w, int n) const;

 private:
  struct Layer {
    int in, out;                // to multiples of 64, with zeros
    std::vector<float> weight;  // [out/64][in][64]
    std::vector<float> bias;
  };

  // Where feature or unit i of those that the next layer reads is, with padding.
  int place(int i) const;

  bool pooled_ = false;
  int channels_ = 0, features_ = 0, outputs_ = 0;
  int wide_ = 0;  // units that the next layer reads, with padding
  std::vector<float> conv_;
  float conv_bias_ = 0;
  std::vector<Layer> layers_;
  std::vector<float> weight_, bias_;  // of the output: [outputs][wide]
};

}  // namespace alamos
