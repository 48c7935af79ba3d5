// Access to gotch's tensors, and to the numbers in them.
#pragma once

#include <ATen/ATen.h>

#include "kernels.h"

namespace alamos {

inline const at::Tensor &tensor(const void *handle) {
  return *static_cast<const at::Tensor *>(handle);
}

// The memory of a tensor; nullptr for one that is not defined.
template <class T>
T *data(const at::Tensor &x) {
  return x.defined() ? static_cast<T *>(x.data_ptr()) : nullptr;
}

// Calls f with a typed pointer for the numbers in a tensor, float32 or bfloat16.
template <class F>
void typed(const at::Tensor &x, F f) {
  if (x.scalar_type() == at::kBFloat16)
    f(static_cast<bf16 *>(nullptr));
  else
    f(static_cast<float *>(nullptr));
}

}  // namespace alamos
