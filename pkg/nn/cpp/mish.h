// Activation functions and their slopes, of a float or of a Vector of them.
#pragma once

#include <type_traits>

#include "activation.h"
#include "vector.h"

namespace alamos {

ALAMOS_INLINE Vector power_of_two(const Vector &whole) {
  typedef int32_t Integers __attribute__((vector_size(4 * lanes)));
  return (Vector)((__builtin_convertvector(whole, Integers) + 127) << 23);
}

ALAMOS_INLINE float power_of_two(float whole) {
  int32_t bits = (int32_t(whole) + 127) * (1 << 23);
  float v;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}

// e to the power of v in [-87, 88], to 2 units in the last place: 2^k times a
// polynomial (the Taylor series, of which eight terms are enough) in what is left
// of v, at most log(2)/2.
template <class V>
ALAMOS_INLINE V exponential(const V &v) {
  constexpr float whole = 3 << 22;  // floats of this size have no fraction
  V k = v * 1.44269504f + whole;
  k -= whole;
  V r = v - k * 0.693359375f;  // log(2), rounded so that the product is exact
  r += k * 2.12194440e-4f;     // and the rest of it
  V p = r * (1.0f / 5040) + 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  return p * power_of_two(k);
}

// v within [low, high]; NaN becomes high.
template <class V>
ALAMOS_INLINE V clamp(const V &v, float low, float high) {
  V most = v < high ? v : V{} + high;
  return most < low ? V{} + low : most;
}

// With w = e^x, tanh(log(1 + w)) is ((1+w)^2 - 1) / ((1+w)^2 + 1), that is
// n / (n+2) with n = w (w+2): no difference of numbers that are nearly equal. From
// x = 20 it is 1 in single precision. NaN stays NaN, in the factor x.
template <class V>
ALAMOS_INLINE V mish(const V &x) {
  V w = exponential(clamp(x, -87.0f, 20.0f));
  V n = w * (w + 2.0f);
  return x * (n / (n + 2.0f));
}

// The derivative: tanh(s) + x (1 - tanh(s)^2) w / (1+w), where 1 - tanh(s)^2 is
// 4 (1+w)^2 / (n+2)^2.
template <class V>
ALAMOS_INLINE V mish_slope(const V &x) {
  V w = exponential(clamp(x, -87.0f, 20.0f));
  V d = w * (w + 2.0f) + 2.0f;
  return 1.0f - 2.0f / d + x * (4.0f * w * (w + 1.0f) / (d * d));
}

template <class V>
ALAMOS_INLINE V sigmoid(const V &x) {
  return 1.0f / (1.0f + exponential(-clamp(x, -87.0f, 87.0f)));
}

template <alamos_activation act, class V>
ALAMOS_INLINE V activated(const V &v) {
  if (act == ALAMOS_RELU) return v < 0 ? V{} : v;  // NaN passes
  if (act == ALAMOS_MISH) return mish(v);
  return v;
}

template <alamos_activation act, class V>
ALAMOS_INLINE V slope(const V &v) {
  if (act == ALAMOS_RELU) return v > 0 ? V{} + 1.0f : V{};
  if (act == ALAMOS_MISH) return mish_slope(v);
  return V{} + 1.0f;
}

// Calls f with the activation as a type whose value is a constant. f must be
// inlined where the code is for several instruction sets.
template <class F>
ALAMOS_INLINE void with_activation(alamos_activation act, F f) {
  switch (act) {
    case ALAMOS_IDENTITY:
      return f(std::integral_constant<alamos_activation, ALAMOS_IDENTITY>());
    case ALAMOS_RELU:
      return f(std::integral_constant<alamos_activation, ALAMOS_RELU>());
    case ALAMOS_MISH:
      return f(std::integral_constant<alamos_activation, ALAMOS_MISH>());
  }
}

}  // namespace alamos
