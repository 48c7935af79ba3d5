#include "norm.h"

#include <cstring>
#include <vector>

// See kernels.cpp.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define ALAMOS_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define ALAMOS_CLONES
#endif
#define ALAMOS_INLINE inline __attribute__((always_inline))

namespace alamos {

namespace {

// Rows of which single-precision sums are taken before they go into a double:
// few enough for 24 bits, many enough to cost nothing.
constexpr int64_t block = 64;

ALAMOS_INLINE void store(float v, float *to) { *to = v; }

// Rounds to nearest even without a branch. NaN stays NaN: the loss of the step
// would not be seen to have diverged otherwise.
ALAMOS_INLINE void store(float v, bf16 *to) {
  uint32_t u;
  std::memcpy(&u, &v, sizeof u);
  uint32_t rounded = (u + 0x7fff + (u >> 16 & 1)) >> 16;
  *to = bf16(v != v ? u >> 16 | 0x40 : rounded);
}

// Calls body(r, a, b) for each row, a and b being sums of a block of rows, and
// adds those to first and second.
template <class Body>
ALAMOS_INLINE void in_blocks(int64_t rows, int channels, double *first,
                             double *second, Body body) {
  std::vector<float> sums(2 * channels);
  float *__restrict a = sums.data(), *__restrict b = a + channels;
  for (int64_t from = 0; from < rows; from += block) {
    std::memset(a, 0, sizeof(float) * 2 * channels);
    int64_t to = from + block < rows ? from + block : rows;
    for (int64_t r = from; r < to; r++) body(r, a, b);
    for (int c = 0; c < channels; c++) {
      first[c] += a[c];
      second[c] += b[c];
    }
  }
}

template <class T>
ALAMOS_INLINE void sums(const T *x, int64_t rows, int channels,
                        const float *shift, double *sum, double *square) {
  in_blocks(rows, channels, sum, square, [=](int64_t r, float *a, float *b) {
    const T *row = x + r * channels;
#pragma GCC ivdep
    for (int c = 0; c < channels; c++) {
      float d = to_float(row[c]) - shift[c];
      a[c] += d;
      b[c] += d * d;
    }
  });
}

template <class T, bool adds>
ALAMOS_INLINE void apply(const T *x, int64_t rows, int channels,
                         const float *scale, const float *shift, const T *add,
                         T *y) {
  for (int64_t r = 0; r < rows; r++) {
    const T *in = x + r * channels, *plus = add + (adds ? r * channels : 0);
    T *out = y + r * channels;
#pragma GCC ivdep
    for (int c = 0; c < channels; c++) {
      float v = to_float(in[c]) * scale[c] + shift[c];
      if (adds) v += to_float(plus[c]);
      store(v < 0 ? 0 : v, out + c);  // NaN passes
    }
  }
}

template <class T>
ALAMOS_INLINE void gradient_sums(const T *dy, const T *y, const T *x,
                                 int64_t rows, int channels, const float *mean,
                                 T *out, double *sum, double *product) {
  in_blocks(rows, channels, sum, product, [=](int64_t r, float *a, float *b) {
    const T *from = dy + r * channels, *in = x + r * channels;
    const T *act = y + r * channels;
    T *to = out + r * channels;
#pragma GCC ivdep
    for (int c = 0; c < channels; c++) {
      float v = to_float(from[c]), g = to_float(act[c]) > 0 ? v : 0.0f;
      store(g, to + c);
      a[c] += g;
      b[c] += g * (to_float(in[c]) - mean[c]);
    }
  });
}

template <class T>
ALAMOS_INLINE void gradient(const T *g, const T *x, int64_t rows, int channels,
                            const float *a, const float *b, const float *d,
                            T *dx) {
  for (int64_t r = 0; r < rows; r++) {
    const T *from = g + r * channels, *in = x + r * channels;
    T *to = dx + r * channels;
#pragma GCC ivdep
    for (int c = 0; c < channels; c++)
      store(a[c] * to_float(from[c]) + b[c] * to_float(in[c]) + d[c], to + c);
  }
}

template <class T>
ALAMOS_INLINE void descend(int64_t from, int64_t to, float *w, float *m,
                           T *used, const T *const *g, int shards, float rate,
                           float momentum, float decay) {
  float sum[256];
  for (int64_t at = from; at < to; at += 256) {
    int n = int(to - at < 256 ? to - at : 256);
    for (int i = 0; i < n; i++) sum[i] = to_float(g[0][at + i]);
    for (int s = 1; s < shards; s++)
      for (int i = 0; i < n; i++) sum[i] += to_float(g[s][at + i]);
#pragma GCC ivdep
    for (int i = 0; i < n; i++) {
      m[at + i] = momentum * m[at + i] + (sum[i] + decay * w[at + i]);
      w[at + i] -= rate * m[at + i];
    }
    if (static_cast<void *>(used) == w) continue;
    for (int i = 0; i < n; i++) store(w[at + i], used + at + i);
  }
}

}  // namespace

ALAMOS_CLONES void norm_sums(const float *x, int64_t rows, int channels,
                             const float *shift, double *sum, double *square) {
  sums(x, rows, channels, shift, sum, square);
}

ALAMOS_CLONES void norm_sums(const bf16 *x, int64_t rows, int channels,
                             const float *shift, double *sum, double *square) {
  sums(x, rows, channels, shift, sum, square);
}

ALAMOS_CLONES void norm_apply(const float *x, int64_t rows, int channels,
                              const float *scale, const float *shift,
                              const float *add, float *y) {
  if (add)
    apply<float, true>(x, rows, channels, scale, shift, add, y);
  else
    apply<float, false>(x, rows, channels, scale, shift, add, y);
}

ALAMOS_CLONES void norm_apply(const bf16 *x, int64_t rows, int channels,
                              const float *scale, const float *shift,
                              const bf16 *add, bf16 *y) {
  if (add)
    apply<bf16, true>(x, rows, channels, scale, shift, add, y);
  else
    apply<bf16, false>(x, rows, channels, scale, shift, add, y);
}

ALAMOS_CLONES void norm_gradient_sums(const float *dy, const float *y,
                                      const float *x, int64_t rows,
                                      int channels, const float *mean,
                                      float *out, double *sum,
                                      double *product) {
  gradient_sums(dy, y, x, rows, channels, mean, out, sum, product);
}

ALAMOS_CLONES void norm_gradient_sums(const bf16 *dy, const bf16 *y,
                                      const bf16 *x, int64_t rows, int channels,
                                      const float *mean, bf16 *out,
                                      double *sum, double *product) {
  gradient_sums(dy, y, x, rows, channels, mean, out, sum, product);
}

ALAMOS_CLONES void norm_gradient(const float *g, const float *x, int64_t rows,
                                 int channels, const float *a, const float *b,
                                 const float *d, float *dx) {
  gradient(g, x, rows, channels, a, b, d, dx);
}

ALAMOS_CLONES void norm_gradient(const bf16 *g, const bf16 *x, int64_t rows,
                                 int channels, const float *a, const float *b,
                                 const float *d, bf16 *dx) {
  gradient(g, x, rows, channels, a, b, d, dx);
}

ALAMOS_CLONES void sgd_range(int64_t from, int64_t to, float *w, float *m,
                             float *used, const float *const *g, int shards,
                             float rate, float momentum, float decay) {
  descend(from, to, w, m, used, g, shards, rate, momentum, decay);
}

ALAMOS_CLONES void sgd_range(int64_t from, int64_t to, float *w, float *m,
                             bf16 *used, const bf16 *const *g, int shards,
                             float rate, float momentum, float decay) {
  descend(from, to, w, m, used, g, shards, rate, momentum, decay);
}

}  // namespace alamos
