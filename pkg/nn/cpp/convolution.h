// Convolutions of the evaluator.
#pragma once

#include "activation.h"
#include "layer.h"

namespace alamos {

// Stride 1, padding kernel/2, and a bias.
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

// By libtorch, on whatever it was built: slower, and always there.
std::unique_ptr<Layer> libtorch_convolution(const ConvolutionShape &shape,
                                            const float *weight,
                                            const float *bias);

}  // namespace alamos
