#include "kernels.h"

#include <cmath>
#include <cstring>
#include <limits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "mish.h"
#include "vector.h"

namespace alamos {

bf16 to_bf16(float v) {
  bf16 half;
  store(v, &half);
  return half;
}

template <class T>
void expand(const uint64_t *planes, const uint8_t *constant, int count, T *out, int stride) {
  T value;
  std::memset(out, 0, sizeof(T) * 64 * stride);
  for (int c = 0; c < count; c++) {
    uint64_t word = planes[c];
    if (constant[c]) {
      float v;
      uint32_t bits = uint32_t(word);
      std::memcpy(&v, &bits, sizeof v);
      store(v, &value);
      for (int s = 0; s < 64; s++) out[s * stride + c] = value;
    } else {
      store(1.0f, &value);
      for (; word != 0; word &= word - 1) out[__builtin_ctzll(word) * stride + c] = value;
    }
  }
}

template void expand(const uint64_t *, const uint8_t *, int, float *, int);
template void expand(const uint64_t *, const uint8_t *, int, bf16 *, int);

ALAMOS_CLONES float dot(const float *a, const float *b, int64_t n, const float *next) {
  for (int64_t i = 0; i < n; i += 16) __builtin_prefetch(next + i);
  float acc[lanes] = {};
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    for (int l = 0; l < lanes; l++) acc[l] += a[i + l] * b[i + l];
  for (int l = 0; i + l < n; l++) acc[l] += a[i + l] * b[i + l];
  return reduce(acc);
}

#if defined(__x86_64__)
// Only called where has_bf16().
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

template <class T>
ALAMOS_CLONES void squeeze(const T *x, const float *w, float bias, int channels, float *out) {
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

template void squeeze(const float *, const float *, float, int, float *);
template void squeeze(const bf16 *, const float *, float, int, float *);

// Sixteen vectors of sums, of 4 positions and 64 outputs, stay in registers while
// the inputs pass by; and the weights of so many inputs in the cache while the
// positions do.
ALAMOS_CLONES void dense_relu(const float *x, int positions, const float *w,
                              const float *bias, int n, int m, float *out) {
  constexpr int wide = 64 / lanes, inputs = 1024;
  for (int j = 0; j < m; j += 64, w += int64_t(n) * 64)
    for (int from = 0; from < n; from += inputs) {
      int to = from + inputs < n ? from + inputs : n;
      for (int64_t i = 0; i < positions; i += group) {
        const float *in = x + i * n;
        float *sums = out + i * m + j;
        Vector acc[group][wide];
        for (int p = 0; p < group; p++)
          for (int k = 0; k < wide; k++)
            acc[p][k] = load(from == 0 ? bias + j + lanes * k : sums + p * m + lanes * k);
        for (int f = from; f < to; f++) {
          Vector row[wide];
          for (int k = 0; k < wide; k++) row[k] = load(w + int64_t(f) * 64 + lanes * k);
          for (int p = 0; p < group; p++)
            for (int k = 0; k < wide; k++) acc[p][k] += in[p * n + f] * row[k];
        }
        for (int p = 0; p < group; p++)
          for (int k = 0; k < wide; k++) {
            Vector v = acc[p][k];
            if (to == n) v = v < 0 ? Vector{} : v;
            std::memcpy(sums + p * m + lanes * k, &v, sizeof v);
          }
      }
    }
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
