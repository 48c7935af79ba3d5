#include "pointwise.h"

#include "mish.h"
#include "vector.h"

namespace alamos {

namespace {

template <class T>
ALAMOS_INLINE void activate_any(const T *x, T *out, int64_t n, alamos_activation act) {
  with_activation(act, [=](auto a) ALAMOS_FLAT {
    by_vectors(n, [=](int64_t i, auto as) ALAMOS_FLAT {
      using V = typename decltype(as)::type;
      store(activated<decltype(a)::value>(get<V>(x + i)), out + i);
    });
  });
}

template <class T>
ALAMOS_INLINE void add_any(const T *x, const T *y, T *out, int64_t n, alamos_activation act) {
  with_activation(act, [=](auto a) ALAMOS_FLAT {
    by_vectors(n, [=](int64_t i, auto as) ALAMOS_FLAT {
      using V = typename decltype(as)::type;
      V sum = get<V>(x + i) + get<V>(y + i);
      store(activated<decltype(a)::value>(sum), out + i);
    });
  });
}

template <class T>
ALAMOS_INLINE void add_gradient_any(const T *dout, const T *x, const T *y, T *dx, int64_t n,
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
ALAMOS_INLINE void scale_any(const T *x, T *out, int64_t rows, int channels, const float *scale,
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

}  // namespace

ALAMOS_CLONES void activate(const float *x, float *out, int64_t n, alamos_activation act) {
  activate_any(x, out, n, act);
}

ALAMOS_CLONES void activate(const bf16 *x, bf16 *out, int64_t n, alamos_activation act) {
  activate_any(x, out, n, act);
}

ALAMOS_CLONES void add(const float *x, const float *y, float *out, int64_t n,
                       alamos_activation act) {
  add_any(x, y, out, n, act);
}

ALAMOS_CLONES void add(const bf16 *x, const bf16 *y, bf16 *out, int64_t n,
                       alamos_activation act) {
  add_any(x, y, out, n, act);
}

ALAMOS_CLONES void add_gradient(const float *dout, const float *x, const float *y, float *dx,
                                int64_t n, alamos_activation act) {
  add_gradient_any(dout, x, y, dx, n, act);
}

ALAMOS_CLONES void add_gradient(const bf16 *dout, const bf16 *x, const bf16 *y, bf16 *dx,
                                int64_t n, alamos_activation act) {
  add_gradient_any(dout, x, y, dx, n, act);
}

ALAMOS_CLONES void scale(const float *x, float *out, int64_t rows, int channels,
                         const float *scale, const float *shift, alamos_activation act) {
  scale_any(x, out, rows, channels, scale, shift, act);
}

ALAMOS_CLONES void scale(const bf16 *x, bf16 *out, int64_t rows, int channels,
                         const float *scale, const float *shift, alamos_activation act) {
  scale_any(x, out, rows, channels, scale, shift, act);
}

}  // namespace alamos
