// What loops over numbers are written with: vectors of a fixed width, and code
// for several instruction sets. For .cpp files without anything of libtorch.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels.h"

// Compile a function for several instruction sets and pick one when the library
// is loaded: libraries are built once and may meet any processor.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define ALAMOS_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define ALAMOS_CLONES
#endif

#define ALAMOS_INLINE inline __attribute__((always_inline))
#define ALAMOS_FLAT __attribute__((always_inline))  // of a lambda

namespace alamos {

// Sixteen sums side by side: the order of additions is written down, so the
// compiler may use vector registers without changing a bit of the result.
constexpr int lanes = 16;

ALAMOS_INLINE float reduce(float *acc) {
  for (int half = lanes / 2; half > 0; half /= 2)
    for (int i = 0; i < half; i++) acc[i] += acc[i + half];
  return acc[0];
}

// Functions that return a Vector are inlined, so no caller passes one by another
// convention than the callee.
#pragma GCC diagnostic ignored "-Wpsabi"
typedef float Vector __attribute__((vector_size(4 * lanes)));

template <class T>
ALAMOS_INLINE Vector load(const T *p);

template <>
ALAMOS_INLINE Vector load(const float *p) {
  Vector v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

template <>
ALAMOS_INLINE Vector load(const bf16 *p) {
  typedef bf16 Halves __attribute__((vector_size(2 * lanes)));
  typedef uint32_t Words __attribute__((vector_size(4 * lanes)));
  Halves h;
  std::memcpy(&h, p, sizeof h);
  return (Vector)(__builtin_convertvector(h, Words) << 16);
}

// The sums of the lanes of v[16], added in the order of reduce: each step halves
// the number of vectors and the lanes that belong to one of them.
ALAMOS_INLINE Vector sums(Vector *v) {
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

ALAMOS_INLINE void store(float v, float *to) { *to = v; }

// Rounds to nearest even without a branch. NaN stays NaN: the loss of the step
// would not be seen to have diverged otherwise.
ALAMOS_INLINE void store(float v, bf16 *to) {
  uint32_t u;
  std::memcpy(&u, &v, sizeof u);
  uint32_t rounded = (u + 0x7fff + (u >> 16 & 1)) >> 16;
  *to = bf16(v != v ? u >> 16 | 0x40 : rounded);
}

ALAMOS_INLINE void store(const Vector &v, float *to) { std::memcpy(to, &v, sizeof v); }

ALAMOS_INLINE void store(const Vector &v, bf16 *to) {
  typedef bf16 Halves __attribute__((vector_size(2 * lanes)));
  typedef uint32_t Words __attribute__((vector_size(4 * lanes)));
  Words u = (Words)v;
  Words rounded = (u + 0x7fff + (u >> 16 & 1)) >> 16;
  Words nan = u >> 16 | 0x40;
  Halves h = __builtin_convertvector((Words)(v != v) ? nan : rounded, Halves);
  std::memcpy(to, &h, sizeof h);
}

// get is a number at p, or a Vector of them.
template <class V, class T>
ALAMOS_INLINE V get(const T *p) {
  if constexpr (std::is_same_v<V, float>)
    return to_float(*p);
  else
    return load(p);
}

template <class V>
struct As {
  using type = V;
};

// Calls f(i, As<V>) for all i below n: V is Vector as long as there are so many
// numbers, then float for each of the rest.
template <class F>
ALAMOS_INLINE void by_vectors(int64_t n, F f) {
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) f(i, As<Vector>());
  for (; i < n; i++) f(i, As<float>());
}

}  // namespace alamos
