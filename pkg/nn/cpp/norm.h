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
template <class T>
void norm_sums(const T *x, int64_t rows, int channels, const float *shift,
               double *sum, double *square);

// y = act(scale[c] x + shift[c] + add), add may be null.
template <class T>
void norm_apply(const T *x, int64_t rows, int channels, const float *scale,
                const float *shift, const T *add, alamos_activation act, T *y);

// With g = dy act'(scale[c] x + shift[c] + add): writes g to out, and adds to
// sum[c] the g, to product[c] the g (x - mean[c]). y is what norm_apply wrote: it
// is read for ReLU only, and scale, shift and add for other activations only.
template <class T>
void norm_gradient_sums(const T *dy, const T *y, const T *x, const T *add,
                        int64_t rows, int channels,
                        const float *mean, const float *scale,
                        const float *shift, alamos_activation act, T *out,
                        double *sum, double *product);

// dx = a[c] g + b[c] x + d[c]; dx may be g.
template <class T>
void norm_gradient(const T *g, const T *x, int64_t rows, int channels,
                   const float *a, const float *b, const float *d, T *dx);

}  // namespace alamos
