#include "optimizer_step.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "vector.h"

namespace alamos {

namespace {

// Numbers that are worked on while their gradients, summed, are in the cache.
constexpr int chunk = 256;

// Writes the sums of the gradients of n numbers from at on.
template <class T>
ALAMOS_INLINE void gradient(int64_t at, int n, const T *const *g, int shards, float *sum) {
  for (int i = 0; i < n; i++) sum[i] = to_float(g[0][at + i]);
  for (int s = 1; s < shards; s++)
    for (int i = 0; i < n; i++) sum[i] += to_float(g[s][at + i]);
}

// Calls body(at, n, sum) for chunks of n numbers from at on, with the sums of
// their gradients, and rounds the weights to used if these are others.
template <class T, class Body>
ALAMOS_INLINE void in_chunks(int64_t from, int64_t to, const float *w, T *used,
                             const T *const *g, int shards, Body body) {
  float sum[chunk];
  for (int64_t at = from; at < to; at += chunk) {
    int n = int(to - at < chunk ? to - at : chunk);
    gradient(at, n, g, shards, sum);
    body(at, n, sum);
    if (static_cast<const void *>(used) == w) continue;
    for (int i = 0; i < n; i++) store(w[at + i], used + at + i);
  }
}

}  // namespace

template <class T>
ALAMOS_CLONES double square_sum(int64_t from, int64_t to, const T *const *g, int shards) {
  constexpr int lanes = 16;  // sums that do not wait for each other
  double sums[lanes] = {};
  float grad[chunk];
  for (int64_t at = from; at < to; at += chunk) {
    int n = int(to - at < chunk ? to - at : chunk);
    gradient(at, n, g, shards, grad);
    std::fill(grad + n, grad + chunk, 0.0f);
    for (int i = 0; i < chunk; i += lanes)
      for (int j = 0; j < lanes; j++) sums[j] += double(grad[i + j]) * grad[i + j];
  }
  return std::accumulate(sums, sums + lanes, 0.0);
}

template <class T>
ALAMOS_CLONES void sgd_range(int64_t from, int64_t to, float *w, float *m, T *used,
                             const T *const *g, int shards, const SGDStep &step) {
  const SGDStep s = step;
  in_chunks(from, to, w, used, g, shards, [=](int64_t at, int n, const float *sum) {
#pragma GCC ivdep
    for (int i = 0; i < n; i++) {
      float d = s.scale * sum[i] + s.decay * w[at + i];
      m[at + i] = s.momentum * m[at + i] + d;
      w[at + i] -= s.rate * (s.mean * m[at + i] + s.fresh * d);
    }
  });
}

template <class T>
ALAMOS_CLONES void adam_range(int64_t from, int64_t to, float *w, float *m, float *v, T *used,
                              const T *const *g, int shards, const AdamStep &step) {
  const AdamStep s = step;
  in_chunks(from, to, w, used, g, shards, [=](int64_t at, int n, const float *sum) {
#pragma GCC ivdep
    for (int i = 0; i < n; i++) {
      float grad = s.scale * sum[i] + s.decay * w[at + i];
      m[at + i] = s.beta1 * m[at + i] + s.rest1 * grad;
      v[at + i] = s.beta2 * v[at + i] + s.rest2 * grad * grad;
      w[at + i] = s.keep * w[at + i] -
                  s.rate * m[at + i] / (std::sqrt(v[at + i]) * s.unbias + s.epsilon);
    }
  });
}

#define ALAMOS_INSTANTIATE(T) \
  template double square_sum(int64_t, int64_t, const T *const *, int); \
  template void sgd_range(int64_t, int64_t, float *, float *, T *, const T *const *, int, const SGDStep &); \
  template void adam_range(int64_t, int64_t, float *, float *, float *, T *, const T *const *, int, const AdamStep &);

ALAMOS_INSTANTIATE(float)
ALAMOS_INSTANTIATE(bf16)

}  // namespace alamos
