// Arithmetic on each number of maps by itself, with the activation behind it.
#pragma once

#include <cstdint>

#include "activation.h"
#include "kernels.h"

namespace alamos {

// out = act(x); out may be x.
void activate(const float *x, float *out, int64_t n, alamos_activation act);
void activate(const bf16 *x, bf16 *out, int64_t n, alamos_activation act);

// out = act(x + y); out may be x or y.
void add(const float *x, const float *y, float *out, int64_t n, alamos_activation act);
void add(const bf16 *x, const bf16 *y, bf16 *out, int64_t n, alamos_activation act);

// The gradient dx of x, and of y, where dout is that of out = act(x + y).
void add_gradient(const float *dout, const float *x, const float *y, float *dx,
                  int64_t n, alamos_activation act);
void add_gradient(const bf16 *dout, const bf16 *x, const bf16 *y, bf16 *dx,
                  int64_t n, alamos_activation act);

// out[rows][channels] = act(scale[c] x + shift[c]), for channels by 16.
void scale(const float *x, float *out, int64_t rows, int channels,
           const float *scale, const float *shift, alamos_activation act);
void scale(const bf16 *x, bf16 *out, int64_t rows, int channels,
           const float *scale, const float *shift, alamos_activation act);

}  // namespace alamos
