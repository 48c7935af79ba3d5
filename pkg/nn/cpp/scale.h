// A layer that scales and shifts each channel.
#pragma once

#include <vector>

#include "activation.h"
#include "layer.h"

namespace alamos {

// out = act(scale[c] in + shift[c]); scale and shift are [channels], padded.
std::unique_ptr<Layer> scale_layer(int positions, bool half, std::vector<float> scale,
                                   std::vector<float> shift, alamos_activation act);

}  // namespace alamos
