// The arithmetic of the optimizers, on plain arrays: a step for the numbers from
// to to of a parameter. w are the weights in float32, g[shards] the gradients that
// the shards have, which are summed in the order of the shards. used, where the
// weights go, rounded, is w itself or the copy in bfloat16.
#pragma once

#include <cstdint>

#include "kernels.h"

namespace alamos {

// Stochastic gradient descent with the momenta m: see alamos_sgd.
void sgd_range(int64_t from, int64_t to, float *w, float *m, float *used,
               const float *const *g, int shards, float rate, float momentum,
               float decay);
void sgd_range(int64_t from, int64_t to, float *w, float *m, bf16 *used,
               const bf16 *const *g, int shards, float rate, float momentum,
               float decay);

// AdamStep are the factors of a step of Adam.
struct AdamStep {
  float beta1, rest1, beta2, rest2;  // rest: 1 - beta
  float rate;                        // over the bias of the means
  float unbias;                      // 1 over the root of the bias of the squares
  float epsilon;
  float decay;  // of the weights in the gradient
  float keep;   // share of the weights kept beforehand
};

// Adam with the means m and the squares v of the gradient: see alamos_adam.
void adam_range(int64_t from, int64_t to, float *w, float *m, float *v,
                float *used, const float *const *g, int shards,
                const AdamStep &step);
void adam_range(int64_t from, int64_t to, float *w, float *m, float *v,
                bf16 *used, const bf16 *const *g, int shards,
                const AdamStep &step);

}  // namespace alamos
