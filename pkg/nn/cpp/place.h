// Where libtorch computes: the processor, or a device with queues of work. Nothing
// here needs CUDA's headers: libtorch has what it takes behind its own.
#pragma once

#include <ATen/ATen.h>
#include <c10/core/Device.h>
#include <c10/core/Stream.h>
#include <c10/core/StreamGuard.h>

namespace alamos {

// The device of a name, "cpu" or "cuda:0". One that is not there throws.
c10::Device device_of(const char *name);

// Work on a device, in the order in which it is asked for. Work in other queues
// goes on meanwhile. On the processor all work is done at once.
class Queue {
 public:
  explicit Queue(c10::Device device);

  // The one of the calling thread on a device, always the same: for every pair of a
  // thread and a queue libtorch keeps a workspace there for good.
  static const Queue &of_thread(c10::Device device);

  // Waits until the work is done.
  void wait() const;

  // While it lives, what the calling thread asks of libtorch goes into the queue.
  class Use {
   public:
    explicit Use(const Queue &q) {
      if (q.stream_) guard_.reset_stream(*q.stream_);
    }

   private:
    c10::OptionalStreamGuard guard_;
  };

 private:
  c10::optional<c10::Stream> stream_;  // none on the processor
};

// Waits for what was asked of a device in no queue.
void wait_for(c10::Device device);

// Memory of the processor that a device reads and writes by itself.
at::Tensor transfer_memory(c10::Device device, int64_t numbers, at::ScalarType type);

}  // namespace alamos
