// The arithmetic of the optimizers, on plain arrays: a step for the numbers
// [from, to) of a parameter. w are the weights in float32, g[shards] the gradients
// of the shards, which are summed in this order. used receives the rounded weights:
// it is w itself or the copy in bfloat16.
#pragma once

#include <cstdint>

#include "kernels.h"

namespace alamos {

// The sum of the squares of the gradient.
template <class T>
double square_sum(int64_t from, int64_t to, const T *const *g, int shards);

// The factors of a step of stochastic gradient descent.
struct SGDStep {
  float scale;  // of the gradient
  float rate, momentum, decay;
  float mean, fresh;  // the step is rate (mean m + fresh d): 1 and 0, or Nesterov's momentum and 1
};

// Stochastic gradient descent with the momenta m: see ALAMOS_SGD.
template <class T>
void sgd_range(int64_t from, int64_t to, float *w, float *m, T *used, const T *const *g,
               int shards, const SGDStep &step);

// The factors of a step of Adam.
struct AdamStep {
  float scale;                       // of the gradient
  float beta1, rest1, beta2, rest2;  // rest: 1 - beta
  float rate;                        // over the bias of the means
  float unbias;                      // 1 over the root of the bias of the squares
  float epsilon;
  float decay;  // of the weights in the gradient
  float keep;   // share of the weights kept beforehand
};

// Adam with the means m and the squares v of the gradient: see ALAMOS_ADAM.
template <class T>
void adam_range(int64_t from, int64_t to, float *w, float *m, float *v, T *used,
                const T *const *g, int shards, const AdamStep &step);

}  // namespace alamos
