#include "norm.h"

#include <vector>

#include "mish.h"
#include "vector.h"

namespace alamos {

namespace {

// Rows of which single-precision sums are taken before they go into a double:
// few enough for 24 bits, many enough to cost nothing.
constexpr int64_t block = 64;

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

template <alamos_activation act, bool adds, class T>
ALAMOS_INLINE void apply(const T *x, int64_t rows, int channels,
                         const float *scale, const float *shift, const T *add,
                         T *y) {
  for (int64_t r = 0; r < rows; r++) {
    const T *in = x + r * channels, *plus = add + (adds ? r * channels : 0);
    T *out = y + r * channels;
    if constexpr (act == ALAMOS_MISH) { // which the compiler cannot vectorize by itself
      by_vectors(channels, [=](int64_t c, auto as) ALAMOS_FLAT {
        using V = typename decltype(as)::type;
        V v = get<V>(in + c) * get<V>(scale + c) + get<V>(shift + c);
        if (adds) v += get<V>(plus + c);
        store(mish(v), out + c);
      });
      continue;
    }
#pragma GCC ivdep
    for (int c = 0; c < channels; c++) {
      float v = to_float(in[c]) * scale[c] + shift[c];
      if (adds) v += to_float(plus[c]);
      store(activated<act>(v), out + c);
    }
  }
}

template <alamos_activation act, bool adds, class T>
ALAMOS_INLINE void gradient_sums(const T *dy, const T *y, const T *x,
                                 const T *add, int64_t rows, int channels,
                                 const float *mean, const float *scale,
                                 const float *shift, T *out, double *sum,
                                 double *product) {
  in_blocks(rows, channels, sum, product, [=](int64_t r, float *a, float *b) ALAMOS_FLAT {
    const T *from = dy + r * channels, *in = x + r * channels;
    const T *plus = add + (adds ? r * channels : 0);
    const T *result = y + (act == ALAMOS_RELU ? r * channels : 0);
    T *to = out + r * channels;
    if constexpr (act == ALAMOS_MISH) {
      by_vectors(channels, [=](int64_t c, auto as) ALAMOS_FLAT {
        using V = typename decltype(as)::type;
        V x = get<V>(in + c), v = x * get<V>(scale + c) + get<V>(shift + c);
        if (adds) v += get<V>(plus + c);
        V g = get<V>(from + c) * mish_slope(v);
        store(g, to + c);
        store(get<V>(a + c) + g, a + c);
        store(get<V>(b + c) + g * (x - get<V>(mean + c)), b + c);
      });
      return;
    }
#pragma GCC ivdep
    for (int c = 0; c < channels; c++) {
      float g = to_float(from[c]);
      if (act == ALAMOS_RELU) g = to_float(result[c]) > 0 ? g : 0.0f;
      store(g, to + c);
      a[c] += g;
      b[c] += g * (to_float(in[c]) - mean[c]);
    }
  });
}

}  // namespace

template <class T>
ALAMOS_CLONES void norm_sums(const T *x, int64_t rows, int channels, const float *shift,
                             double *sum, double *square) {
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

template <class T>
ALAMOS_CLONES void norm_apply(const T *x, int64_t rows, int channels, const float *scale,
                              const float *shift, const T *add, alamos_activation act, T *y) {
  with_activation(act, [=](auto a) ALAMOS_FLAT {
    if (add)
      apply<decltype(a)::value, true>(x, rows, channels, scale, shift, add, y);
    else
      apply<decltype(a)::value, false>(x, rows, channels, scale, shift, add, y);
  });
}

template <class T>
ALAMOS_CLONES void norm_gradient_sums(const T *dy, const T *y, const T *x, const T *add,
                                      int64_t rows, int channels, const float *mean,
                                      const float *scale, const float *shift, alamos_activation act,
                                      T *out, double *sum, double *product) {
  with_activation(act, [=](auto a) ALAMOS_FLAT {
    if (add)
      gradient_sums<decltype(a)::value, true>(dy, y, x, add, rows, channels, mean, scale, shift, out, sum, product);
    else
      gradient_sums<decltype(a)::value, false>(dy, y, x, add, rows, channels, mean, scale, shift, out, sum, product);
  });
}

template <class T>
ALAMOS_CLONES void norm_gradient(const T *g, const T *x, int64_t rows, int channels, const float *a,
                                 const float *b, const float *d, T *dx) {
  for (int64_t r = 0; r < rows; r++) {
    const T *from = g + r * channels, *in = x + r * channels;
    T *to = dx + r * channels;
#pragma GCC ivdep
    for (int c = 0; c < channels; c++)
      store(a[c] * to_float(from[c]) + b[c] * to_float(in[c]) + d[c], to + c);
  }
}

#define ALAMOS_INSTANTIATE(T) \
  template void norm_sums(const T *, int64_t, int, const float *, double *, double *); \
  template void norm_apply(const T *, int64_t, int, const float *, const float *, const T *, alamos_activation, T *); \
  template void norm_gradient_sums(const T *, const T *, const T *, const T *, int64_t, int, const float *, \
                                   const float *, const float *, alamos_activation, T *, double *, double *); \
  template void norm_gradient(const T *, const T *, int64_t, int, const float *, const float *, const float *, T *);

ALAMOS_INSTANTIATE(float)
ALAMOS_INSTANTIATE(bf16)

}  // namespace alamos
