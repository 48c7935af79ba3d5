#include "gate.h"

#include "vector.h"

namespace alamos {

namespace {

constexpr int squares = 64;

// Calls f(p, c, as) for each position and its channels, see by_vectors.
template <class F>
ALAMOS_INLINE void each_channel(int64_t positions, int channels, F f) {
  for (int64_t p = 0; p < positions; p++)
    by_vectors(channels, [=](int64_t c, auto as) ALAMOS_FLAT { f(p, c, as); });
}

template <class T>
ALAMOS_INLINE void pool_any(const T *x, float *mean, int64_t positions, int channels) {
  each_channel(positions, channels, [=](int64_t p, int64_t c, auto as) ALAMOS_FLAT {
    using V = typename decltype(as)::type;
    V sum = {};
    for (int s = 0; s < squares; s++) sum += get<V>(x + (p * squares + s) * channels + c);
    store(sum * (1.0f / squares), mean + p * channels + c);
  });
}

template <class T>
ALAMOS_INLINE void pool_gradient_any(const float *dmean, T *dx, int64_t positions, int channels) {
  each_channel(positions, channels, [=](int64_t p, int64_t c, auto as) ALAMOS_FLAT {
    using V = typename decltype(as)::type;
    V d = get<V>(dmean + p * channels + c) * (1.0f / squares);
    for (int s = 0; s < squares; s++) store(d, dx + (p * squares + s) * channels + c);
  });
}

template <class T>
ALAMOS_INLINE void gate_any(const T *x, const float *gate, T *out, int64_t positions,
                            int channels) {
  each_channel(positions, channels, [=](int64_t p, int64_t c, auto as) ALAMOS_FLAT {
    using V = typename decltype(as)::type;
    V g = get<V>(gate + p * channels + c);
    for (int s = 0; s < squares; s++) {
      int64_t at = (p * squares + s) * channels + c;
      store(get<V>(x + at) * g, out + at);
    }
  });
}

template <class T>
ALAMOS_INLINE void gate_gradient_any(const T *dout, const T *x, const float *gate, T *dx,
                                     float *dgate, int64_t positions, int channels) {
  each_channel(positions, channels, [=](int64_t p, int64_t c, auto as) ALAMOS_FLAT {
    using V = typename decltype(as)::type;
    V g = get<V>(gate + p * channels + c), sum = {};
    for (int s = 0; s < squares; s++) {
      int64_t at = (p * squares + s) * channels + c;
      V d = get<V>(dout + at);
      sum += d * get<V>(x + at);
      store(d * g, dx + at);
    }
    store(sum, dgate + p * channels + c);
  });
}

}  // namespace

ALAMOS_CLONES void pool(const float *x, float *mean, int64_t positions, int channels) {
  pool_any(x, mean, positions, channels);
}

ALAMOS_CLONES void pool_gradient(const float *dmean, float *dx, int64_t positions, int channels) {
  pool_gradient_any(dmean, dx, positions, channels);
}

ALAMOS_CLONES void gate(const float *x, const float *gate, float *out, int64_t positions,
                        int channels) {
  gate_any(x, gate, out, positions, channels);
}

ALAMOS_CLONES void gate_gradient(const float *dout, const float *x, const float *gate, float *dx,
                                 float *dgate, int64_t positions, int channels) {
  gate_gradient_any(dout, x, gate, dx, dgate, positions, channels);
}

ALAMOS_CLONES void pool(const bf16 *x, float *mean, int64_t positions, int channels) {
  pool_any(x, mean, positions, channels);
}

ALAMOS_CLONES void pool_gradient(const float *dmean, bf16 *dx, int64_t positions, int channels) {
  pool_gradient_any(dmean, dx, positions, channels);
}

ALAMOS_CLONES void gate(const bf16 *x, const float *gate, bf16 *out, int64_t positions,
                        int channels) {
  gate_any(x, gate, out, positions, channels);
}

ALAMOS_CLONES void gate_gradient(const bf16 *dout, const bf16 *x, const float *gate, bf16 *dx,
                                 float *dgate, int64_t positions, int channels) {
  gate_gradient_any(dout, x, gate, dx, dgate, positions, channels);
}

}  // namespace alamos
