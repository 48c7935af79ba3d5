// A convolution of the evaluator, ready to run.
#pragma once

#include <cstddef>
#include <memory>

namespace alamos {

// oneDNN's fastest kernels work on whole groups of 16 channels, so every map
// has such a number of them: those beyond the network's own are zero.
inline int padded(int channels) { return (channels + 15) / 16 * 16; }

// out = act(conv(in) + bias [+ what out held]): stride 1, padding kernel/2, on
// maps [positions][64][channels] of float or bfloat16.
struct ConvolutionShape {
  int positions;
  int in, out;  // channels, padded
  int kernel;   // 1 or 3
  bool half;    // bfloat16; sums are single precision
  bool add;     // add what out held before
  bool relu;
};

// A convolution with its weights, packed for its shape. It is read-only and may
// be shared by threads, each with its own calls.
class Convolution {
 public:
  // A call reads and writes always the same memory.
  class Call {
   public:
    virtual ~Call() = default;
    virtual void run() = 0;
  };

  virtual ~Convolution() = default;
  virtual size_t scratch() const = 0;  // bytes that a call may overwrite
  virtual std::unique_ptr<Call> bind(const void *in, void *out,
                                     void *scratch) const = 0;
};

// weight is [out][in][kernel][kernel] and bias [out]; both are copied. Memory is
// aligned to 64 bytes.

// By oneDNN itself; nullptr where this library was built without its headers.
std::unique_ptr<Convolution> onednn_convolution(const ConvolutionShape &shape,
                                                const float *weight,
                                                const float *bias);

// By libtorch, on whatever it was built: slower, and always there.
std::unique_ptr<Convolution> libtorch_convolution(const ConvolutionShape &shape,
                                                  const float *weight,
                                                  const float *bias);

}  // namespace alamos
