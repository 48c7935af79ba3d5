// What an evaluator is, wherever it runs: a model, built layer by layer, and its
// sessions. See alamos.h, whose functions call these after they have checked
// what they were given.
#pragma once

#include <memory>
#include <vector>

#include "alamos.h"

namespace alamos {

// The registers that a step reads.
struct Wiring {
  int from;
  int add;  // -1: nothing
};

// Positions to evaluate, and where the answers go: see alamos_session_run.
struct Batch {
  int n;
  const uint64_t *planes;
  const int32_t *offsets, *indices;
  float *priors, *values, *wdl, *left;

  int moves(int i) const { return offsets[i + 1] - offsets[i]; }
};

// What a model computes with.
struct Setting {
  int block, planes;
  std::vector<uint8_t> constant;
  bool half;
};

}  // namespace alamos

struct alamos_session {
  virtual ~alamos_session() = default;
  virtual void run(const alamos::Batch &batch) = 0;
};

struct alamos_model {
  explicit alamos_model(alamos::Setting s) : setting(std::move(s)), width{setting.planes} {}
  virtual ~alamos_model() = default;

  // Each of these is the next step, which writes the register of the number that
  // follows the last; add tells whether it adds another.
  virtual void conv(int in, int out, int kernel, bool add, alamos_activation act,
                    const float *weight, const float *bias) = 0;
  virtual void scale(int channels, alamos_activation act, const float *scale,
                     const float *shift) = 0;
  virtual void attention(int channels, int hidden, bool add, alamos_activation act,
                         const float *w1, const float *w2, const float *spatial) = 0;

  virtual void policy(int channels, int size, const float *weight, const float *bias) = 0;
  virtual void policy_maps(int channels, int maps, const float *weight, const float *bias) = 0;
  virtual void head(int channels, const float *conv, float conv_bias) = 0;
  virtual void hidden(int in, int out, const float *weight, const float *bias) = 0;
  virtual void output(int in, int out, const float *weight, const float *bias) = 0;

  virtual std::unique_ptr<alamos_session> session() const = 0;

  // The last step that reads each register: -1 for none, and for what a head or
  // the policy reads the number that follows the last step's.
  std::vector<int> last_reads() const;

  const alamos::Setting setting;

  // What was checked of the model so far.
  struct Head {
    int kind, from;
    int units;  // that the next layer reads
    bool whole;
  };
  std::vector<int> width;               // channels of each register
  std::vector<alamos::Wiring> wiring;   // of the step that writes register k + 1
  int policy_from = -1;                 // -1: no policy
  int policy_size = 0;
  std::vector<Head> heads;
};

namespace alamos {

// A model on the processor. With libtorch its operators convolve even where
// oneDNN could.
std::unique_ptr<alamos_model> processor_model(Setting setting, bool libtorch);

// A model on a device of libtorch's, "cuda:1" or, slower than the one above,
// "cpu".
std::unique_ptr<alamos_model> device_model(Setting setting, const char *device);

// Writes what becomes of the outputs x of a head, of n positions from the one at
// first.
void finish(int kind, int first, int n, const float *x, const Batch &batch);

// Softmax of the logits that stand in the place of the priors.
void normalize_priors(const Batch &batch);

}  // namespace alamos
