// The arithmetic of batch norm in training, on maps x [rows][channels] of
// float32 or bfloat16. Sums are taken in a fixed order, in double precision
// over blocks of single-precision sums.
#pragma once

#include <cstdint>

#include "activation.h"
#include "kernels.h"

namespace alamos {

// sum[c] += x - shift[c] and square[c] += (x - shift[c])^2 over the rows. A
// shift near the mean keeps the precision that a difference of squares loses.
void norm_sums(const float *x, int64_t rows, int channels, const float *shift,
               double *sum, double *square);
void norm_sums(const bf16 *x, int64_t rows, int channels, const float *shift,
               double *sum, double *square);

// y = act(scale[c] x + shift[c] + add), add may be null.
void norm_apply(const float *x, int64_t rows, int channels, const float *scale,
                const float *shift, const float *add, alamos_activation act,
                float *y);
void norm_apply(const bf16 *x, int64_t rows, int channels, const float *scale,
                const float *shift, const bf16 *add, alamos_activation act,
                bf16 *y);

// With g = dy act'(scale[c] x + shift[c] + add): writes g to out, and adds to
// sum[c] the g, to product[c] the g (x - mean[c]). y is what norm_apply wrote: it
// is read for ReLU only, and scale, shift and add for other activations only.
void norm_gradient_sums(const float *dy, const float *y, const float *x,
                        const float *add, int64_t rows, int channels,
                        const float *mean, const float *scale,
                        const float *shift, alamos_activation act, float *out,
                        double *sum, double *product);
void norm_gradient_sums(const bf16 *dy, const bf16 *y, const bf16 *x,
                        const bf16 *add, int64_t rows, int channels,
                        const float *mean, const float *scale,
                        const float *shift, alamos_activation act, bf16 *out,
                        double *sum, double *product);

// dx = a[c] g + b[c] x + d[c]; dx may be g.
void norm_gradient(const float *g, const float *x, int64_t rows, int channels,
                   const float *a, const float *b, const float *d, float *dx);
void norm_gradient(const bf16 *g, const bf16 *x, int64_t rows, int channels,
                   const float *a, const float *b, const float *d, bf16 *dx);

}  // namespace alamos
