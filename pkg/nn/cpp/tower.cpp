// A measuring device: the convolutions of a trunk and nothing else, as
// fast as they go. What an evaluator adds to them is its cost.
#include <c10/core/InferenceMode.h>

#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "alamos.h"
#include "convolution.h"
#include "device_layers.h"
#include "guard.h"
#include "memory.h"
#include "place.h"
#include "threads.h"

struct alamos_tower {
  virtual ~alamos_tower() = default;
  virtual void run() = 0;
};

namespace alamos {

namespace {

struct Shape {
  int batch, planes, width, convolutions;
  bool half;

  int in(int i) const { return i == 0 ? planes : width; }  // channels of the i-th convolution
};

// Weights as at the start of training, so that maps neither die out nor
// overflow: a processor multiplies zeros with less power, and clocks higher.
std::vector<float> weights(std::mt19937 &random, int in, int out) {
  std::normal_distribution<float> he(0, std::sqrt(2.0f / (9 * in)));
  std::vector<float> w(size_t(9) * in * out);
  for (float &x : w) x = he(random);
  return w;
}

class ProcessorTower : public alamos_tower {
 public:
  explicit ProcessorTower(const Shape &s) {
    std::mt19937 random(1);
    size_t scratch = 0;
    for (int i = 0; i < s.convolutions; i++) {
      int in = padded(s.in(i)), out = padded(s.width);
      ConvolutionShape shape{s.batch, in, out, 3, s.half, false, ALAMOS_RELU};
      std::vector<float> weight = weights(random, in, out), bias(out, 0.01f);
      auto c = onednn_convolution(shape, weight.data(), bias.data());
      if (!c) c = libtorch_convolution(shape, weight.data(), bias.data());
      scratch = std::max(scratch, c->scratch());
      convolutions_.push_back(std::move(c));
    }
    size_t bytes = size_t(s.batch) * 64 * (s.half ? 2 : 4);
    input_ = zeroed(bytes * padded(s.planes));
    for (auto &m : maps_) m = zeroed(bytes * padded(s.width));
    scratch_ = zeroed(scratch);
    const void *in = input_.get();
    for (size_t i = 0; i < convolutions_.size(); i++) {
      void *out = maps_[i % 2].get();
      calls_.push_back(convolutions_[i]->bind(in, out, scratch_.get()));
      in = out;
    }
  }

  void run() override {
    for (auto &call : calls_) call->run();
  }

 private:
  Bytes input_, maps_[2], scratch_;
  std::vector<std::unique_ptr<Layer>> convolutions_;
  std::vector<std::unique_ptr<Layer::Call>> calls_;
};

class DeviceTower : public alamos_tower {
 public:
  DeviceTower(const Shape &s, c10::Device device) : queue_(device) {
    c10::InferenceMode mode;
    std::mt19937 random(1);
    std::vector<float> bias(s.width, 0.01f);
    for (int i = 0; i < s.convolutions; i++)
      convolutions_.emplace_back(device, s.in(i), s.width, 3, s.half, ALAMOS_RELU,
                                 weights(random, s.in(i), s.width).data(), bias.data());
    auto type = s.half ? at::kBFloat16 : at::kFloat;
    input_ = at::zeros({s.batch, 8, 8, padded(s.planes)}, at::TensorOptions(device).dtype(type)).permute({0, 3, 1, 2});
    wait_for(device);
  }

  void run() override {
    c10::InferenceMode mode;
    Queue::Use use(queue_);
    at::Tensor x = input_;
    for (auto &c : convolutions_) x = c(x, at::Tensor());
    queue_.wait();
  }

 private:
  Queue queue_;
  at::Tensor input_;
  std::vector<DeviceConvolution> convolutions_;
};

}  // namespace

}  // namespace alamos

extern "C" {

char *alamos_tower_new(int batch, int planes, int width, int convolutions,
                       int half, const char *device, alamos_tower **tower) {
  return alamos::guard([&] {
    alamos::require(batch > 0 && planes > 0 && width > 0 && convolutions > 0,
                    "alamos: a tower needs a batch, planes, channels and convolutions of at least 1");
    alamos::Shape shape{batch, planes, width, convolutions, half != 0};
    alamos::set_openmp_threads(1);
    if (device) {
      *tower = new alamos::DeviceTower(shape, alamos::device_of(device));
      return;
    }
    alamos::require(!half || alamos_has_bf16(), "alamos: this processor has no bfloat16 arithmetic");
    *tower = new alamos::ProcessorTower(shape);
  });
}

char *alamos_tower_run(alamos_tower *t) {
  return alamos::guard([&] {
    alamos::set_openmp_threads(1);
    t->run();
  });
}

void alamos_tower_free(alamos_tower *t) { delete t; }

}  // extern "C"
