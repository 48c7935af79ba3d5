#include "kernels.h"

#include <cmath>
#include <cstring>
#include <limits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// Compile a function for several instruction sets and pick one when the library
// is loaded: libraries are built once and may meet any processor.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define ALAMOS_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define ALAMOS_CLONES
#endif

namespace alamos {

namespace {

// Sixteen sums side by side: the order of additions is written down, so the
// compiler may use vector registers without changing a bit of the result.
constexpr int lanes = 16;

inline __attribute__((always_inline)) float reduce(float *acc) {
  for (int half = lanes / 2; half > 0; half /= 2)
    for (int i = 0; i < half; i++) acc[i] += acc[i + half];
  return acc[0];
}

inline __attribute__((always_inline)) bf16 round_bf16(float v) {
  uint32_t u;
  std::memcpy(&u, &v, sizeof u);
  if ((u & 0x7fffffff) > 0x7f800000) return bf16(u >> 16 | 0x40);  // NaN stays NaN
  return bf16((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

// Functions that return a Vector are inlined, so no caller passes one by another
// convention than the callee.
#pragma GCC diagnostic ignored "-Wpsabi"
typedef float Vector __attribute__((vector_size(4 * lanes)));

template <class T>
inline __attribute__((always_inline)) Vector load(const T *p);

template <>
inline __attribute__((always_inline)) Vector load(const float *p) {
  Vector v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

template <>
inline __attribute__((always_inline)) Vector load(const bf16 *p) {
  typedef bf16 Halves __attribute__((vector_size(2 * lanes)));
  typedef uint32_t Words __attribute__((vector_size(4 * lanes)));
  Halves h;
  std::memcpy(&h, p, sizeof h);
  return (Vector)(__builtin_convertvector(h, Words) << 16);
}

// The sums of the lanes of v[16], added in the order of reduce: each step halves
// the number of vectors and the lanes that belong to one of them.
inline __attribute__((always_inline)) Vector sums(Vector *v) {
  for (int i = 0; i < 8; i++) {
    Vector a = v[2 * i], b = v[2 * i + 1];
    v[i] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23) +
           __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
  }
  for (int i = 0; i < 4; i++) {
    Vector a = v[2 * i], b = v[2 * i + 1];
    v[i] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27) +
           __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
  }
  for (int i = 0; i < 2; i++) {
    Vector a = v[2 * i], b = v[2 * i + 1];
    v[i] = __builtin_shufflevector(a, b, 0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29) +
           __builtin_shufflevector(a, b, 2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, 23, 26, 27, 30, 31);
  }
  return __builtin_shufflevector(v[0], v[1], 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30) +
         __builtin_shufflevector(v[0], v[1], 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
}

template <class T>
inline __attribute__((always_inline)) void squeeze_any(const T *x, const float *w, float bias,
                                                       int channels, float *out) {
  for (int s = 0; s < 64; s += lanes) {
    Vector acc[lanes];
    for (int i = 0; i < lanes; i++) {
      acc[i] = Vector{};
      for (int c = 0; c < channels; c += lanes)
        acc[i] += load(x + (s + i) * channels + c) * load(w + c);
    }
    Vector v = sums(acc) + bias;
    v = v < 0 ? Vector{} : v;
    std::memcpy(out + s, &v, sizeof v);
  }
}

template <class T>
inline __attribute__((always_inline)) float dot_lanes(const T *a, const float *b,
                                                      int64_t n) {
  float acc[lanes] = {};
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    for (int l = 0; l < lanes; l++) acc[l] += to_float(a[i + l]) * b[i + l];
  for (int l = 0; i + l < n; l++) acc[l] += to_float(a[i + l]) * b[i + l];
  return reduce(acc);
}

template <class T>
void expand_any(const uint64_t *planes, const uint8_t *constant, int count,
                T *out, int stride, T one, T (*convert)(float)) {
  std::memset(out, 0, sizeof(T) * 64 * stride);
  for (int c = 0; c < count; c++) {
    uint64_t word = planes[c];
    if (constant[c]) {
      float v;
      uint32_t bits = uint32_t(word);
      std::memcpy(&v, &bits, sizeof v);
      T t = convert(v);
      for (int s = 0; s < 64; s++) out[s * stride + c] = t;
    } else {
      for (; word != 0; word &= word - 1)
        out[__builtin_ctzll(word) * stride + c] = one;
    }
  }
}

}  // namespace

bf16 to_bf16(float v) { return round_bf16(v); }

void expand(const uint64_t *planes, const uint8_t *constant, int count,
            float *out, int stride) {
  expand_any<float>(planes, constant, count, out, stride, 1.0f,
                    [](float v) { return v; });
}

void expand(const uint64_t *planes, const uint8_t *constant, int count,
            bf16 *out, int stride) {
  expand_any<bf16>(planes, constant, count, out, stride, to_bf16(1.0f), to_bf16);
}

ALAMOS_CLONES void add(float *y, const float *x, int64_t n, bool relu) {
  float floor = relu ? 0.0f : -std::numeric_limits<float>::infinity();
  for (int64_t i = 0; i < n; i++) {
    float s = y[i] + x[i];
    y[i] = s < floor ? floor : s;  // NaN passes
  }
}

ALAMOS_CLONES void add(bf16 *y, const bf16 *x, int64_t n, bool relu) {
  float floor = relu ? 0.0f : -std::numeric_limits<float>::infinity();
  for (int64_t i = 0; i < n; i++) {
    float s = to_float(y[i]) + to_float(x[i]);
    y[i] = round_bf16(s < floor ? floor : s);
  }
}

ALAMOS_CLONES float dot(const float *a, const float *b, int64_t n, const float *next) {
  for (int64_t i = 0; i < n; i += 16) __builtin_prefetch(next + i);
  return dot_lanes(a, b, n);
}

#if defined(__x86_64__)
// Only called where alamos_has_bf16.
__attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16"))) float dot(
    const bf16 *a, const bf16 *b, int64_t n, const bf16 *next) {
  __m512 acc[4] = {_mm512_setzero_ps(), _mm512_setzero_ps(),
                   _mm512_setzero_ps(), _mm512_setzero_ps()};
  int64_t i = 0;
  for (; i + 128 <= n; i += 128)
    for (int k = 0; k < 4; k++) {
      __builtin_prefetch(next + i + 32 * k);
      acc[k] = _mm512_dpbf16_ps(acc[k],
                                (__m512bh)_mm512_loadu_si512(a + i + 32 * k),
                                (__m512bh)_mm512_loadu_si512(b + i + 32 * k));
    }
  for (; i < n; i += 32) {
    __mmask32 m = n - i >= 32 ? ~0u : (1u << (n - i)) - 1;
    acc[0] = _mm512_dpbf16_ps(acc[0],
                              (__m512bh)_mm512_maskz_loadu_epi16(m, a + i),
                              (__m512bh)_mm512_maskz_loadu_epi16(m, b + i));
  }
  return _mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(acc[0], acc[1]),
                                            _mm512_add_ps(acc[2], acc[3])));
}
#else
float dot(const bf16 *a, const bf16 *b, int64_t n, const bf16 *) {
  float acc[lanes] = {};
  for (int64_t i = 0; i < n; i++)
    acc[i % lanes] += to_float(a[i]) * to_float(b[i]);
  return reduce(acc);
}
#endif

ALAMOS_CLONES void squeeze(const float *x, const float *w, float bias,
                           int channels, float *out) {
  squeeze_any(x, w, bias, channels, out);
}

ALAMOS_CLONES void squeeze(const bf16 *x, const float *w, float bias,
                           int channels, float *out) {
  squeeze_any(x, w, bias, channels, out);
}

// Sixteen vectors of sums, of 4 positions and 64 outputs, stay in registers while
// the inputs pass by.
ALAMOS_CLONES void dense_relu(const float *x, const float *w, const float *bias,
                              int n, int m, float *out) {
  constexpr int wide = 64 / lanes;
  for (int j = 0; j < m; j += 64) {
    Vector acc[group][wide];
    for (int p = 0; p < group; p++)
      for (int k = 0; k < wide; k++) acc[p][k] = load(bias + j + lanes * k);
    for (int i = 0; i < n; i++) {
      Vector row[wide];
      for (int k = 0; k < wide; k++) row[k] = load(w + int64_t(i) * m + j + lanes * k);
      for (int p = 0; p < group; p++)
        for (int k = 0; k < wide; k++) acc[p][k] += x[p * n + i] * row[k];
    }
    for (int p = 0; p < group; p++)
      for (int k = 0; k < wide; k++) {
        Vector v = acc[p][k] < 0 ? Vector{} : acc[p][k];
        std::memcpy(out + p * m + j + lanes * k, &v, sizeof v);
      }
  }
}

// e to the power of v in [-87, 0], to 2 units in the last place: 2^k times a
// polynomial (the Taylor series, of which eight terms are enough) in what is left
// of v, at most log(2)/2.
inline __attribute__((always_inline)) Vector exponential(const Vector &v) {
  typedef int32_t Integers __attribute__((vector_size(4 * lanes)));
  constexpr float whole = 3 << 22;  // floats of this size have no fraction
  Vector k = v * 1.44269504f + whole;
  k -= whole;
  Vector r = v - k * 0.693359375f;  // log(2), rounded so that the product is exact
  r += k * 2.12194440e-4f;          // and the rest of it
  Vector p = r * (1.0f / 5040) + 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  return p * (Vector)((__builtin_convertvector(k, Integers) + 127) << 23);
}

ALAMOS_CLONES void softmax(float *x, const int32_t *index, int n) {
  float top = -std::numeric_limits<float>::infinity();
  for (int i = 0; i < n; i++)
    if (index[i] >= 0 && !(x[i] <= top)) top = x[i];
  for (int i = 0; i < n; i += lanes) {
    Vector v = {};
    size_t bytes = sizeof(float) * (n - i < lanes ? n - i : lanes);
    std::memcpy(&v, x + i, bytes);
    v -= top;
    v = v < -87.0f ? Vector{} - 87.0f : v;
    v = exponential(v);
    std::memcpy(x + i, &v, bytes);
  }
  for (int i = 0; i < n; i++)
    if (index[i] < 0) x[i] = 0;
  float sum = 0;
  for (int i = 0; i < n; i++) sum += x[i];
  if (sum == 0) return;  // no move at all
  for (int i = 0; i < n; i++) x[i] /= sum;
}

}  // namespace alamos
