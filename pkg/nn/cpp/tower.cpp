// A measuring device: the convolutions of a trunk and nothing else, as
// fast as they go. What an evaluator adds to them is its cost.
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "alamos.h"
#include "convolution.h"
#include "guard.h"
#include "memory.h"
#include "threads.h"

using alamos::Layer;

struct alamos_tower {
  alamos::Bytes input, maps[2], scratch;
  std::vector<std::unique_ptr<Layer>> convolutions;
  std::vector<std::unique_ptr<Layer::Call>> calls;
};

namespace {

void build(alamos_tower &t, int batch, int planes, int width, int convolutions,
           bool half) {
  std::mt19937 random(1);
  size_t scratch = 0;
  for (int i = 0; i < convolutions; i++) {
    int in = alamos::padded(i == 0 ? planes : width), out = alamos::padded(width);
    alamos::ConvolutionShape shape{batch, in, out, 3, half, false, ALAMOS_RELU};
    // Weights as at the start of training, so that maps neither die out nor
    // overflow: a processor multiplies zeros with less power, and clocks higher.
    std::normal_distribution<float> he(0, std::sqrt(2.0f / (9 * in)));
    std::vector<float> weight(size_t(9) * in * out), bias(out, 0.01f);
    for (float &w : weight) w = he(random);
    auto c = alamos::onednn_convolution(shape, weight.data(), bias.data());
    if (!c) c = alamos::libtorch_convolution(shape, weight.data(), bias.data());
    scratch = std::max(scratch, c->scratch());
    t.convolutions.push_back(std::move(c));
  }
  size_t bytes = size_t(batch) * 64 * (half ? 2 : 4);
  t.input = alamos::zeroed(bytes * alamos::padded(planes));
  for (auto &m : t.maps) m = alamos::zeroed(bytes * alamos::padded(width));
  t.scratch = alamos::zeroed(scratch);
  const void *in = t.input.get();
  for (size_t i = 0; i < t.convolutions.size(); i++) {
    void *out = t.maps[i % 2].get();
    t.calls.push_back(t.convolutions[i]->bind(in, out, t.scratch.get()));
    in = out;
  }
}

}  // namespace

extern "C" {

char *alamos_tower_new(int batch, int planes, int width, int convolutions,
                       int half, alamos_tower **tower) {
  return alamos::guard([&] {
    alamos::require(batch > 0 && planes > 0 && width > 0 && convolutions > 0,
                    "alamos: a tower needs a batch, planes, channels and convolutions of at least 1");
    alamos::require(!half || alamos_has_bf16(), "alamos: this processor has no bfloat16 arithmetic");
    alamos::set_openmp_threads(1);
    auto t = std::make_unique<alamos_tower>();
    build(*t, batch, planes, width, convolutions, half != 0);
    *tower = t.release();
  });
}

char *alamos_tower_run(alamos_tower *t) {
  return alamos::guard([&] {
    alamos::set_openmp_threads(1);
    for (auto &call : t->calls) call->run();
  });
}

void alamos_tower_free(alamos_tower *t) { delete t; }

}  // extern "C"
