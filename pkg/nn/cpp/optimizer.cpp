// The optimizers: which numbers of which tensors a shard's part of a step changes.
// The arithmetic is in optimizer_step.cpp, or libtorch's where a device computes.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "alamos.h"
#include "barrier.h"
#include "guard.h"
#include "optimizer_step.h"
#include "tensors.h"

using alamos::data;
using alamos::guard;
using alamos::require;

namespace {

using Tensors = std::vector<at::Tensor>;

// Those that are NULL are not defined.
Tensors tensors(int count, void *const *handles) {
  Tensors out(handles ? count : 0);
  for (size_t i = 0; i < out.size(); i++)
    if (handles[i]) out[i] = alamos::tensor(handles[i]);
  return out;
}

}  // namespace

struct alamos_optimizer {
  int kind;
  bool generic;
  Tensors weights, halves, leaves, first, second;
  std::vector<uint8_t> decays;
  double beta1, beta2, epsilon, decay;
  bool nesterov;
  double clip;

  void step(alamos_barrier *barrier, int shard, int shards, int64_t step, double rate, double *norm) const;
  void generic_step(int64_t step, double rate, double *norm) const;

 private:
  template <class F>
  void each_parameter(F f) const;
  template <class F>
  void each_part(int shard, int shards, F f) const;
  Tensors gradients(size_t i) const;
  float scale(alamos_barrier *barrier, int shard, int shards, double *norm) const;
};

// Calls f(i, w, used, grads) for each parameter, with the memory of the weights, of what is
// computed with (w itself, or the copy in bfloat16) and of all gradients.
template <class F>
void alamos_optimizer::each_parameter(F f) const {
  for (size_t i = 0; i < weights.size(); i++) {
    const at::Tensor &w = weights[i];
    const at::Tensor &used = halves[i].defined() ? halves[i] : w;
    Tensors g = gradients(i);
    for (auto &x : g)
      if (x.strides() != used.strides()) x = at::empty_like(used).copy_(x);
    alamos::typed(used, [&](auto *t) {
      using T = std::remove_pointer_t<decltype(t)>;
      std::vector<const T *> grads;
      for (auto &x : g) grads.push_back(data<T>(x));
      f(i, data<float>(w), data<T>(used), grads);
    });
  }
}

// Calls f(i, from, to, w, used, grads) for the part of a shard of each parameter.
template <class F>
void alamos_optimizer::each_part(int shard, int shards, F f) const {
  each_parameter([&](int i, float *w, auto *used, auto &grads) {
    // Whole cache lines, so that shards do not write to the same.
    int64_t n = weights[i].numel(), lines = (n + 31) / 32;
    f(i, 32 * (lines * shard / shards), std::min(n, 32 * (lines * (shard + 1) / shards)), w, used, grads);
  });
}

// The gradients of a parameter, in the order of the leaves. Shards without positions have none.
Tensors alamos_optimizer::gradients(size_t i) const {
  Tensors all;
  for (size_t at = i; at < leaves.size(); at += weights.size())
    if (leaves[at].grad().defined()) all.push_back(leaves[at].grad());
  require(!all.empty(), "alamos: a parameter has no gradient");
  return all;
}

// The factor of the gradient, which clips its norm. It is torch.nn.utils.clip_grad_norm_'s.
float alamos_optimizer::scale(alamos_barrier *barrier, int shard, int shards, double *norm) const {
  if (clip == 0 && !barrier) return 1;
  // Sums of blocks, so that the number of shards changes no sum.
  constexpr int64_t block = 1 << 15;
  std::vector<double> sums;
  each_parameter([&](int i, float *, auto *, auto &grads) {
    for (int64_t at = 0, n = weights[i].numel(); at < n; at += block) {
      bool mine = int(sums.size() % shards) == shard;
      sums.push_back(mine ? alamos::square_sum(at, std::min(n, at + block), grads.data(), int(grads.size())) : 0);
    }
  });
  barrier->sum(shard, sums);
  *norm = std::sqrt(std::accumulate(sums.begin(), sums.end(), 0.0));
  return clip == 0 ? 1 : float(std::min(1.0, clip / (*norm + 1e-6)));
}

void alamos_optimizer::step(alamos_barrier *barrier, int shard, int shards, int64_t step, double rate,
                            double *norm) const {
  float scale = this->scale(barrier, shard, shards, norm);
  if (kind == ALAMOS_SGD) {
    alamos::SGDStep s;
    s.scale = scale;
    s.rate = float(rate);
    s.momentum = float(beta1);
    s.mean = nesterov ? float(beta1) : 1;
    s.fresh = nesterov ? 1 : 0;
    each_part(shard, shards, [&](int i, int64_t from, int64_t to, float *w, auto *used, auto &grads) {
      s.decay = decays[i] ? float(decay) : 0;
      alamos::sgd_range(from, to, w, data<float>(first[i]), used, grads.data(), int(grads.size()), s);
    });
    return;
  }
  alamos::AdamStep s;
  s.scale = scale;
  s.beta1 = float(beta1);
  s.rest1 = float(1 - beta1);
  s.beta2 = float(beta2);
  s.rest2 = float(1 - beta2);
  s.rate = float(rate / (1 - std::pow(beta1, double(step))));
  s.unbias = float(1 / std::sqrt(1 - std::pow(beta2, double(step))));
  s.epsilon = float(epsilon);
  each_part(shard, shards, [&](int i, int64_t from, int64_t to, float *w, auto *used, auto &grads) {
    bool decoupled = kind == ALAMOS_ADAMW;
    s.decay = float(decoupled || !decays[i] ? 0 : decay);
    s.keep = float(decoupled && decays[i] ? 1 - rate * decay : 1);
    alamos::adam_range(from, to, w, data<float>(first[i]), data<float>(second[i]), used, grads.data(), int(grads.size()), s);
  });
}

// Reading the norm waits for the device, so few steps do.
constexpr int norm_every = 16;

void alamos_optimizer::generic_step(int64_t step, double rate, double *norm) const {
  Tensors w = weights, m = first, v = second, g, decayed_w, decayed_g;
  for (size_t i = 0; i < w.size(); i++) {
    at::Tensor sum;
    for (const auto &x : gradients(i)) {
      at::Tensor one = x.to(w[i].device(), at::kFloat, false, !sum.defined() && leaves.size() > w.size());
      sum = sum.defined() ? sum.add_(one) : one;
    }
    g.push_back(sum);
    if (decay == 0 || !decays[i]) continue;
    decayed_w.push_back(w[i]);
    decayed_g.push_back(g[i]);
  }
  bool measured = step % norm_every == 1;
  if (clip != 0 || measured) {
    at::Tensor length = at::stack(at::_foreach_norm(g)).norm();
    if (clip != 0) {
      at::Tensor scale = (clip / (length + 1e-6)).clamp_max(1);
      for (auto &x : g) x.mul_(scale);
    }
    if (measured) *norm = length.item<double>();
  }
  if (!decayed_w.empty()) {
    if (kind == ALAMOS_ADAMW)
      at::_foreach_mul_(decayed_w, 1 - rate * decay);
    else
      at::_foreach_add_(decayed_g, decayed_w, decay);
  }
  at::_foreach_mul_(m, beta1);
  at::_foreach_add_(m, g, kind == ALAMOS_SGD ? 1 : 1 - beta1);
  if (kind == ALAMOS_SGD) {
    if (nesterov) at::_foreach_add_(w, g, -rate);
    at::_foreach_add_(w, m, nesterov ? -rate * beta1 : -rate);
  } else {
    at::_foreach_mul_(v, beta2);
    at::_foreach_addcmul_(v, g, g, 1 - beta2);
    auto root = at::_foreach_sqrt(v);
    at::_foreach_div_(root, std::sqrt(1 - std::pow(beta2, double(step))));
    at::_foreach_add_(root, epsilon);
    at::_foreach_addcdiv_(w, m, root, -rate / (1 - std::pow(beta1, double(step))));
  }
  for (size_t i = 0; i < w.size(); i++)
    if (halves[i].defined()) halves[i].copy_(w[i]);
}

char *alamos_optimizer_new(int kind, int generic, int sets, int count, void *const *weights,
                           void *const *halves, void *const *leaves, void *const *first,
                           void *const *second, const uint8_t *decays, double beta1, double beta2,
                           double epsilon, double decay, int nesterov, double clip,
                           alamos_optimizer **optimizer) {
  return guard([&] {
    *optimizer = new alamos_optimizer{
        kind, generic != 0, tensors(count, weights), tensors(count, halves), tensors(sets * count, leaves),
        tensors(count, first), tensors(count, second), std::vector<uint8_t>(decays, decays + count),
        beta1, beta2, epsilon, decay, nesterov != 0, clip};
  });
}

char *alamos_optimizer_step(const alamos_optimizer *o, alamos_barrier *barrier, int shard, int shards,
                            int64_t step, double rate, double *norm) {
  *norm = std::numeric_limits<double>::quiet_NaN();
  return guard([&] {
    o->generic ? o->generic_step(step, rate, norm) : o->step(barrier, shard, shards, step, rate, norm);
  });
}

void alamos_optimizer_free(alamos_optimizer *o) { delete o; }
