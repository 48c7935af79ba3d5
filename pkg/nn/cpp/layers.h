// The layers of the evaluator, ready to run.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "alamos.h"

namespace alamos {

// oneDNN's fastest kernels work on whole groups of 16 channels, so every map
// has such a number of them: those beyond the network's own are zero.
inline int padded(int channels) { return (channels + 15) / 16 * 16; }

// out = act(f(in) [+ what out held]), on a block of maps [positions][64]
// [channels] of float or bfloat16. A layer has its weights, is read-only and may
// be shared by threads, each with its own calls.
class Layer {
 public:
  // A call always reads and writes the same memory.
  class Call {
   public:
    virtual ~Call() = default;
    virtual void run() = 0;
  };

  virtual ~Layer() = default;
  virtual size_t scratch() const { return 0; }  // bytes that a call may overwrite
  // Memory is aligned to 64 bytes; in and out are not the same.
  virtual std::unique_ptr<Call> bind(const void *in, void *out,
                                     void *scratch) const = 0;
};

// A convolution with stride 1, padding kernel/2, and a bias.
struct ConvolutionShape {
  int positions;
  int in, out;  // channels, padded
  int kernel;   // 1 or 3
  bool half;    // bfloat16; sums are single precision
  bool add;     // add what out held before
  alamos_activation act;
};

// weight is [out][in][kernel][kernel] and bias [out]; both are copied and packed
// for the shape.

// By oneDNN itself; nullptr where this library was built without its headers, or
// oneDNN lacks the activation.
std::unique_ptr<Layer> onednn_convolution(const ConvolutionShape &shape,
                                          const float *weight,
                                          const float *bias);

// By libtorch: slower, and always there.
std::unique_ptr<Layer> libtorch_convolution(const ConvolutionShape &shape,
                                            const float *weight,
                                            const float *bias);

// Attention: each channel of a position is multiplied by a gate in (0, 1), and with a
// spatial convolution each square by another. The gates of the channels are
// sigmoid(w2 h + b2) with h = relu(w1 m + b1), m being their means over the squares, and
// with a shift w3 h + b3 is added to the channels; with a spatial
// convolution they are sigmoid(w2 (relu(w1 m) + relu(w1 M))), M being their maxima, and
// those of the squares sigmoid(conv(mean, maximum over the gated channels)).
struct AttentionShape {
  int positions;
  int channels;  // not padded; those beyond them must be zero, and stay so
  int hidden;
  bool half;
  bool add;  // add what out held before
  alamos_activation act;
};

constexpr int attention_kernel = 7;

std::unique_ptr<Layer> attention_layer(const AttentionShape &shape, const alamos_attention &arrays);

}  // namespace alamos
