// The arithmetic of the evaluator between input, convolutions and answers, on plain
// arrays. Every function does
// the same operations in the same order for a position wherever it stands in a
// batch. bf16 is the upper half of a float32.
#pragma once

#include <cmath>
#include <cstdint>

namespace alamos {

// The value of an unbounded output x: itself from -0.9 to 0.9, and bent towards -1 and 1 outside.
// A higher output has a higher value, so that minimax finds what it would find without bounds.
// NaN passes.
inline float bounded(float x) {
  constexpr float most = 0.9f, rest = 0.1f;
  float inside = x < -most ? -most : x > most ? most : x, beyond = x - inside;
  return inside + rest * beyond / (rest + std::fabs(beyond));
}

using bf16 = uint16_t;

bf16 to_bf16(float v);
inline float to_float(float v) { return v; }
inline float to_float(bf16 v) {
  union { uint32_t u; float f; } bits = {uint32_t(v) << 16};
  return bits.f;
}

// planes[count] of one position to out[64][stride], zero beyond count.
template <class T>
void expand(const uint64_t *planes, const uint8_t *constant, int count, T *out, int stride);

// The inner product of n values, accumulated in float32. next[n] is what the
// next call may read: it is fetched into the cache meanwhile.
float dot(const float *a, const float *b, int64_t n, const float *next);
float dot(const bf16 *a, const bf16 *b, int64_t n, const bf16 *next);

// out[64] = ReLU(x[64][channels] . w[channels] + bias), for channels by 16.
template <class T>
void squeeze(const T *x, const float *w, float bias, int channels, float *out);

// dense_relu computes for so many positions at once.
constexpr int group = 4;

// out[positions][m] = ReLU(x[positions][n] . w[m/64][n][64] + bias[m]), for m by
// 64; x and out have room for positions by group.
void dense_relu(const float *x, int positions, const float *w,
                const float *bias, int n, int m, float *out);

// Softmax in place over the entries of x[n] whose index is not -1; 0 for the
// others.
void softmax(float *x, const int32_t *index, int n);

}  // namespace alamos
