// The arithmetic of attention in training, on maps [positions][64][channels] and
// gates [positions][channels].
#pragma once

#include <cstdint>

#include "kernels.h"

namespace alamos {

// mean[positions][channels] of x over the squares.
void pool(const float *x, float *mean, int64_t positions, int channels);
void pool(const bf16 *x, float *mean, int64_t positions, int channels);

// dx = dmean / 64, on all squares.
void pool_gradient(const float *dmean, float *dx, int64_t positions, int channels);
void pool_gradient(const float *dmean, bf16 *dx, int64_t positions, int channels);

// out = x gate.
void gate(const float *x, const float *gate, float *out, int64_t positions, int channels);
void gate(const bf16 *x, const float *gate, bf16 *out, int64_t positions, int channels);

// dx = dout gate, and dgate the sum of dout x over the squares.
void gate_gradient(const float *dout, const float *x, const float *gate, float *dx,
                   float *dgate, int64_t positions, int channels);
void gate_gradient(const bf16 *dout, const bf16 *x, const float *gate, bf16 *dx,
                   float *dgate, int64_t positions, int channels);

}  // namespace alamos
