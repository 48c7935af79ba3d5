// Arithmetic on maps between the convolutions: x [positions][64][channels] of
// float or bfloat16, and gates [positions][channels].
#pragma once

#include <cstdint>

#include "activation.h"
#include "kernels.h"

namespace alamos {

// out = act(x); out may be x.
template <class T>
void activate(const T *x, T *out, int64_t n, alamos_activation act);

// out = act(x + y); out may be x or y.
template <class T>
void add(const T *x, const T *y, T *out, int64_t n, alamos_activation act);

// The gradient dx of x, and of y, where dout is that of out = act(x + y).
template <class T>
void add_gradient(const T *dout, const T *x, const T *y, T *dx, int64_t n,
                  alamos_activation act);

// out[rows][channels] = act(scale[c] x + shift[c]), for channels by 16.
template <class T>
void scale(const T *x, T *out, int64_t rows, int channels, const float *scale,
           const float *shift, alamos_activation act);

// mean[positions][channels] of x over the squares.
template <class T>
void pool(const T *x, float *mean, int64_t positions, int channels);

// dx = dmean / 64, on all squares.
template <class T>
void pool_gradient(const float *dmean, T *dx, int64_t positions, int channels);

// out = x gate.
template <class T>
void gate(const T *x, const float *gate, T *out, int64_t positions, int channels);

// dx = dout gate, and dgate the sum of dout x over the squares.
template <class T>
void gate_gradient(const T *dout, const T *x, const float *gate, T *dx, float *dgate,
                   int64_t positions, int channels);

// Means and maxima [channels] of x[64][channels] over the squares, for channels by 16.
template <class T>
void pool_squares(const T *x, int channels, float *mean, float *top);

// out[positions][size] is the sum of the numbers x[positions][features] at each of
// places[rows][size]. A place of features is none.
template <class T>
void gather(const T *x, const int64_t *places, T *out, int64_t positions, int64_t features,
            int64_t rows, int64_t size);

// dx, the sums of dout at each place.
template <class T>
void gather_gradient(const T *dout, const int64_t *places, T *dx, int64_t positions,
                     int64_t features, int64_t rows, int64_t size);

}  // namespace alamos
