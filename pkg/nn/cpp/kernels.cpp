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

ALAMOS_CLONES float dot(const float *a, const float *b, int64_t n) {
  return dot_lanes(a, b, n);
}

#if defined(__x86_64__)
// Only called where alamos_has_bf16.
__attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16"))) float dot(
    const bf16 *a, const bf16 *b, int64_t n) {
  __m512 acc[4] = {_mm512_setzero_ps(), _mm512_setzero_ps(),
                   _mm512_setzero_ps(), _mm512_setzero_ps()};
  int64_t i = 0;
  for (; i + 128 <= n; i += 128)
    for (int k = 0; k < 4; k++)
      acc[k] = _mm512_dpbf16_ps(acc[k],
                                (__m512bh)_mm512_loadu_si512(a + i + 32 * k),
                                (__m512bh)_mm512_loadu_si512(b + i + 32 * k));
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
float dot(const bf16 *a, const bf16 *b, int64_t n) {
  float acc[lanes] = {};
  for (int64_t i = 0; i < n; i++)
    acc[i % lanes] += to_float(a[i]) * to_float(b[i]);
  return reduce(acc);
}
#endif

ALAMOS_CLONES void squeeze(const float *x, const float *w, float bias,
                           int channels, float *out) {
  for (int s = 0; s < 64; s++) {
    float v = dot_lanes(x + s * channels, w, channels) + bias;
    out[s] = v < 0 ? 0 : v;
  }
}

ALAMOS_CLONES void squeeze(const bf16 *x, const float *w, float bias,
                           int channels, float *out) {
  for (int s = 0; s < 64; s++) {
    float v = dot_lanes(x + s * channels, w, channels) + bias;
    out[s] = v < 0 ? 0 : v;
  }
}

ALAMOS_CLONES void dense_relu(const float *x, const float *w, const float *bias,
                              int n, int m, float *out) {
  std::memcpy(out, bias, sizeof(float) * m);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) out[j] += x[i] * w[i * m + j];
  for (int j = 0; j < m; j++) out[j] = out[j] < 0 ? 0 : out[j];
}

void softmax(float *x, const int32_t *index, int n) {
  float top = -std::numeric_limits<float>::infinity();
  for (int i = 0; i < n; i++)
    if (index[i] >= 0 && !(x[i] <= top)) top = x[i];
  float sum = 0;
  for (int i = 0; i < n; i++) {
    x[i] = index[i] >= 0 ? std::exp(x[i] - top) : 0;
    sum += x[i];
  }
  if (sum == 0) return;  // no move at all
  for (int i = 0; i < n; i++) x[i] /= sum;
}

}  // namespace alamos
