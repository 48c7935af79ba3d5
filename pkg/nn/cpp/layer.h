// A layer of the evaluator, ready to run.
#pragma once

#include <cstddef>
#include <memory>

namespace alamos {

// oneDNN's fastest kernels work on whole groups of 16 channels, so every map
// has such a number of them: those beyond the network's own are zero.
inline int padded(int channels) { return (channels + 15) / 16 * 16; }

// out = act(f(in) [+ what out held]), on a block of maps [positions][64]
// [channels] of float or bfloat16. A layer has its weights, is read-only and may
// be shared by threads, each with its own calls.
class Layer {
 public:
  // A call reads and writes always the same memory.
  class Call {
   public:
    virtual ~Call() = default;
    virtual void run() = 0;
  };

  virtual ~Layer() = default;
  virtual size_t scratch() const { return 0; }  // bytes that a call may overwrite
  // Memory is aligned to 64 bytes; in and out are not the same.
  virtual std::unique_ptr<Call> bind(const void *in, void *out,
                                     void *scratch) const = 0;
};

}  // namespace alamos
