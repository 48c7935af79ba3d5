#include "maps.h"

#include <algorithm>
#include <vector>

#include "mish.h"
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

}  // namespace

template <class T>
ALAMOS_CLONES void activate(const T *x, T *out, int64_t n, alamos_activation act) {
  with_activation(act, [=](auto a) ALAMOS_FLAT {
    by_vectors(n, [=](int64_t i, auto as) ALAMOS_FLAT {
      using V = typename decltype(as)::type;
      store(activated<decltype(a)::value>(get<V>(x + i)), out + i);
    });
  });
}

template <class T>
ALAMOS_CLONES void add(const T *x, const T *y, T *out, int64_t n, alamos_activation act) {
  with_activation(act, [=](auto a) ALAMOS_FLAT {
    by_vectors(n, [=](int64_t i, auto as) ALAMOS_FLAT {
      using V = typename decltype(as)::type;
      V sum = get<V>(x + i) + get<V>(y + i);
      store(activated<decltype(a)::value>(sum), out + i);
    });
  });
}

template <class T>
ALAMOS_CLONES void add_gradient(const T *dout, const T *x, const T *y, T *dx, int64_t n,
                                alamos_activation act) {
  with_activation(act, [=](auto a) ALAMOS_FLAT {
    by_vectors(n, [=](int64_t i, auto as) ALAMOS_FLAT {
      using V = typename decltype(as)::type;
      V sum = get<V>(x + i) + get<V>(y + i);
      store(get<V>(dout + i) * slope<decltype(a)::value>(sum), dx + i);
    });
  });
}

template <class T>
ALAMOS_CLONES void scale(const T *x, T *out, int64_t rows, int channels, const float *scale,
                         const float *shift, alamos_activation act) {
  with_activation(act, [=](auto a) ALAMOS_FLAT {
    const T *in = x;
    T *to = out;
    for (int64_t r = 0; r < rows; r++, in += channels, to += channels)
      for (int c = 0; c < channels; c += lanes) {
        Vector v = load(in + c) * load(scale + c) + load(shift + c);
        store(activated<decltype(a)::value>(v), to + c);
      }
  });
}

template <class T>
ALAMOS_CLONES void pool(const T *x, float *mean, int64_t positions, int channels) {
  each_channel(positions, channels, [=](int64_t p, int64_t c, auto as) ALAMOS_FLAT {
    using V = typename decltype(as)::type;
    V sum = {};
    for (int s = 0; s < squares; s++) sum += get<V>(x + (p * squares + s) * channels + c);
    store(sum * (1.0f / squares), mean + p * channels + c);
  });
}

template <class T>
ALAMOS_CLONES void pool_gradient(const float *dmean, T *dx, int64_t positions, int channels) {
  each_channel(positions, channels, [=](int64_t p, int64_t c, auto as) ALAMOS_FLAT {
    using V = typename decltype(as)::type;
    V d = get<V>(dmean + p * channels + c) * (1.0f / squares);
    for (int s = 0; s < squares; s++) store(d, dx + (p * squares + s) * channels + c);
  });
}

template <class T>
ALAMOS_CLONES void gate(const T *x, const float *gate, T *out, int64_t positions, int channels) {
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
ALAMOS_CLONES void gate_gradient(const T *dout, const T *x, const float *gate, T *dx, float *dgate,
                                 int64_t positions, int channels) {
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

template <class T>
ALAMOS_CLONES void pool_squares(const T *x, int channels, float *mean, float *top) {
  for (int c = 0; c < channels; c += lanes) {
    Vector sum = load(x + c), most = sum;
    for (int s = 1; s < squares; s++) {
      Vector v = load(x + s * channels + c);
      sum += v;
      most = v > most ? v : most;
    }
    store(sum / squares, mean + c);
    store(most, top + c);
  }
}

template <class T>
void gather(const T *x, const int64_t *places, T *out, int64_t positions, int64_t features,
            int64_t rows, int64_t size) {
  for (int64_t p = 0; p < positions; p++, x += features, out += size)
    for (int64_t k = 0; k < size; k++) {
      float sum = 0;
      for (int64_t at = k; at < rows * size; at += size)
        if (places[at] < features) sum += to_float(x[places[at]]);
      store(sum, out + k);
    }
}

template <class T>
void gather_gradient(const T *dout, const int64_t *places, T *dx, int64_t positions,
                     int64_t features, int64_t rows, int64_t size) {
  std::vector<float> sums(features + 1);
  for (int64_t p = 0; p < positions; p++, dout += size, dx += features) {
    std::fill(sums.begin(), sums.end(), 0.0f);
    for (int64_t r = 0; r < rows; r++)
      for (int64_t k = 0; k < size; k++) sums[places[r * size + k]] += to_float(dout[k]);
    for (int64_t f = 0; f < features; f++) store(sums[f], dx + f);
  }
}

#define ALAMOS_INSTANTIATE(T) \
  template void activate(const T *, T *, int64_t, alamos_activation); \
  template void add(const T *, const T *, T *, int64_t, alamos_activation); \
  template void add_gradient(const T *, const T *, const T *, T *, int64_t, alamos_activation); \
  template void scale(const T *, T *, int64_t, int, const float *, const float *, alamos_activation); \
  template void pool(const T *, float *, int64_t, int); \
  template void pool_gradient(const float *, T *, int64_t, int); \
  template void gate(const T *, const float *, T *, int64_t, int); \
  template void gate_gradient(const T *, const T *, const float *, T *, float *, int64_t, int); \
  template void pool_squares(const T *, int, float *, float *); \
  template void gather(const T *, const int64_t *, T *, int64_t, int64_t, int64_t, int64_t); \
  template void gather_gradient(const T *, const int64_t *, T *, int64_t, int64_t, int64_t, int64_t);

ALAMOS_INSTANTIATE(float)
ALAMOS_INSTANTIATE(bf16)

}  // namespace alamos
