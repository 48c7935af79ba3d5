// Attention in the evaluator.
#pragma once

#include <vector>

#include "activation.h"
#include "layer.h"

namespace alamos {

// Each channel of a position is multiplied by a gate in (0, 1), and with a spatial
// convolution each square by another. The gates of the channels are
// sigmoid(w2 relu(w1 m)), m being their means over the squares; with a spatial
// convolution sigmoid(w2 (relu(w1 m) + relu(w1 M))), M being their maxima, and
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

// w1 is [hidden][channels], w2 [channels][hidden], spatial [2][7][7] or empty.
std::unique_ptr<Layer> attention_layer(const AttentionShape &shape, const float *w1,
                                       const float *w2, std::vector<float> spatial);

}  // namespace alamos
