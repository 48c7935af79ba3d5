// What training on a device needs beside libtorch's own operations.
#include <ATen/ATen.h>

#include <cmath>
#include <vector>

#include "device_layers.h"
#include "guard.h"
#include "place.h"
#include "training.h"

using alamos::guard;
using alamos::require;

namespace {

std::vector<at::Tensor> tensors(int count, void *const *handles) {
  std::vector<at::Tensor> out;
  for (int i = 0; i < count; i++) out.push_back(*static_cast<const at::Tensor *>(handles[i]));
  return out;
}

// The gradients of tensors, in single precision and ours to change.
std::vector<at::Tensor> gradients(int count, void *const *leaves) {
  std::vector<at::Tensor> out;
  for (const at::Tensor &x : tensors(count, leaves)) {
    require(x.grad().defined(), "alamos: a parameter has no gradient");
    out.push_back(x.grad().to(at::kFloat));
  }
  return out;
}

// Rounds the weights to their copies.
void round_weights(int count, const std::vector<at::Tensor> &weights, void *const *halves) {
  for (int i = 0; i < count; i++)
    if (halves[i]) static_cast<const at::Tensor *>(halves[i])->copy_(weights[i]);
}

}  // namespace

extern "C" {

char *alamos_expand_on(const char *device, int n, int count, const uint64_t *planes,
                       const uint8_t *constant, int bf16, void **out) {
  return guard([&] {
    c10::Device d = alamos::device_of(device);
    // Copies: nothing may point into the caller's memory.
    at::Tensor words = at::from_blob(const_cast<uint64_t *>(planes), {n, count}, at::kLong).clone().to(d);
    at::Tensor marks = at::from_blob(const_cast<uint8_t *>(constant), {count}, at::kByte);
    marks = alamos::constant_marks(marks, d);
    *out = new at::Tensor(alamos::expand_on_device(words, marks, bf16 ? at::kBFloat16 : at::kFloat));
  });
}

char *alamos_sgd_on(int count, void *const *weights, void *const *halves,
                    void *const *momenta, void *const *leaves, double rate,
                    double momentum, double decay) {
  return guard([&] {
    auto w = tensors(count, weights), m = tensors(count, momenta), g = gradients(count, leaves);
    if (decay != 0) g = at::_foreach_add(g, w, decay);
    at::_foreach_mul_(m, momentum);
    at::_foreach_add_(m, g, 1);
    at::_foreach_add_(w, m, -rate);
    round_weights(count, w, halves);
  });
}

char *alamos_adam_on(int count, void *const *weights, void *const *halves,
                     void *const *means, void *const *squares,
                     void *const *leaves, int64_t step, double rate,
                     double beta1, double beta2, double epsilon, double decay,
                     int decoupled) {
  return guard([&] {
    auto w = tensors(count, weights), m = tensors(count, means), v = tensors(count, squares);
    auto g = gradients(count, leaves);
    if (decay != 0 && decoupled) at::_foreach_mul_(w, 1 - rate * decay);
    if (decay != 0 && !decoupled) g = at::_foreach_add(g, w, decay);
    at::_foreach_mul_(m, beta1);
    at::_foreach_add_(m, g, 1 - beta1);
    at::_foreach_mul_(v, beta2);
    at::_foreach_addcmul_(v, g, g, 1 - beta2);
    auto root = at::_foreach_sqrt(v);
    at::_foreach_div_(root, std::sqrt(1 - std::pow(beta2, double(step))));
    at::_foreach_add_(root, epsilon);
    at::_foreach_addcdiv_(w, m, root, -rate / (1 - std::pow(beta1, double(step))));
    round_weights(count, w, halves);
  });
}

}  // extern "C"
