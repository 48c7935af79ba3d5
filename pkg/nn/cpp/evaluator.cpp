// The evaluator on the processor. Layers are done by the block, a constant number
// of positions; the arithmetic of the heads is in kernels.cpp.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "attention.h"
#include "convolution.h"
#include "dense.h"
#include "guard.h"
#include "kernels.h"
#include "memory.h"
#include "model.h"
#include "scale.h"

namespace alamos {

namespace {

// Weights are stored with the channels padded as maps are.
struct Policy {
  bool maps = false;     // the logits are maps, else a linear layer makes them
  int64_t features = 0;  // that a logit reads: of a square, or of all
  Bytes weight;          // [size, or maps][features] of float or bfloat16
  std::vector<float> bias;
};

// v[rows][from], each row with zeros after it, as [rows][to].
std::vector<float> pad_rows(const float *v, int64_t rows, int from, int to) {
  std::vector<float> out(rows * to);
  for (int64_t r = 0; r < rows; r++) std::copy_n(v + r * from, from, &out[r * to]);
  return out;
}

class ProcessorModel : public alamos_model {
 public:
  ProcessorModel(Setting s, bool libtorch) : alamos_model(std::move(s)), libtorch_(libtorch) {}

  void conv(int in, int out, int kernel, bool add, alamos_activation act, const float *weight,
            const float *bias) override {
    ConvolutionShape shape{setting.block, padded(in), padded(out), kernel, setting.half, add, act};
    auto w = pad_rows(weight, out, in * kernel * kernel, shape.in * kernel * kernel);
    w.resize(int64_t(shape.out) * shape.in * kernel * kernel);
    auto b = pad_rows(bias, 1, out, shape.out);
    std::unique_ptr<Layer> layer;
    if (!libtorch_) layer = onednn_convolution(shape, w.data(), b.data());
    if (!layer) layer = libtorch_convolution(shape, w.data(), b.data());
    layers.push_back(std::move(layer));
  }

  void scale(int channels, alamos_activation act, const float *scale,
             const float *shift) override {
    int wide = padded(channels);
    layers.push_back(scale_layer(setting.block, setting.half, pad_rows(scale, 1, channels, wide),
                                 pad_rows(shift, 1, channels, wide), act));
  }

  void attention(int channels, int hidden, bool add, alamos_activation act, const float *w1,
                 const float *w2, const float *spatial) override {
    AttentionShape shape{setting.block, channels, hidden, setting.half, add, act};
    std::vector<float> kernel;
    if (spatial) kernel.assign(spatial, spatial + 2 * attention_kernel * attention_kernel);
    layers.push_back(attention_layer(shape, w1, w2, std::move(kernel)));
  }

  void policy(int channels, int size, const float *weight, const float *bias) override {
    move = {false, int64_t(64) * padded(channels), policy_weights(weight, int64_t(size) * 64, channels),
            std::vector<float>(bias, bias + size)};
  }

  void policy_maps(int channels, int maps, const float *weight, const float *bias) override {
    move = {true, padded(channels), policy_weights(weight, maps, channels),
            std::vector<float>(bias, bias + maps)};
  }

  void head(int channels, const float *conv, float conv_bias) override {
    dense.emplace_back(channels, conv, conv_bias);
  }
  void hidden(int in, int out, const float *weight, const float *bias) override {
    dense.back().hidden(in, out, weight, bias);
  }
  void output(int in, int out, const float *weight, const float *bias) override {
    dense.back().output(in, out, weight, bias);
  }

  std::unique_ptr<alamos_session> session() const override;

  size_t element() const { return setting.half ? sizeof(bf16) : sizeof(float); }
  size_t map_bytes(int reg) const { return element() * 64 * padded(width[reg]); }

  // The k-th writes register[k + 1] = act(f(register[from]) + register[add]).
  std::vector<std::unique_ptr<Layer>> layers;
  Policy move;
  std::vector<DenseHead> dense;  // of heads

 private:
  Bytes policy_weights(const float *v, int64_t rows, int channels) const;

  bool libtorch_;
};

class ProcessorSession : public alamos_session {
 public:
  explicit ProcessorSession(const ProcessorModel &m) : model_(m), heads_(m.dense.size()) { plan(); }

  void run(const Batch &b) override {
    if (model_.setting.half)
      evaluate<bf16>(b);
    else
      evaluate<float>(b);
  }

 private:
  void plan();
  template <class T>
  void expand(const uint64_t *planes, int n);
  template <class T>
  void linear_policy(const T *x, const Batch &b);
  template <class T>
  void map_policy(const T *x, const Batch &b) const;
  template <class T>
  void evaluate(const Batch &b);

  struct Step {
    std::unique_ptr<Layer::Call> call;
    const void *copy;  // to where the call adds; nullptr when it is there
    void *out;
    size_t bytes;
  };

  const ProcessorModel &model_;
  std::vector<Bytes> buffers_;
  std::vector<void *> registers_;  // of a block; several may share a buffer
  Bytes scratch_;
  std::vector<Step> steps_;

  std::vector<uint8_t> maps_;  // of the policy, when there is more than a block
  // Moves of a batch by policy index: first_[index] is the first, next_[] the rest.
  std::vector<int32_t> first_, next_, owner_, rows_;
  std::vector<DenseHead::Work> heads_;
};

// Gives every register a buffer and binds the layers to them. A buffer is
// used again as soon as nobody reads it any more, so that a residual tower lives
// in two, which stay in the cache. A layer adds to what its output holds:
// where nobody else reads the addend, it is overwritten in place.
void ProcessorSession::plan() {
  const ProcessorModel &m = model_;
  int steps = int(m.layers.size());
  std::vector<int> last = m.last_reads();
  std::vector<size_t> size;
  std::vector<int> unused, place(m.width.size());
  auto acquire = [&](int reg) {
    if (unused.empty()) {
      unused.push_back(int(size.size()));
      size.push_back(0);
    }
    int b = unused.back();
    unused.pop_back();
    size[b] = std::max(size[b], m.setting.block * m.map_bytes(reg));
    place[reg] = b;
  };
  auto in_place = [&](int k) {
    const Wiring &at = m.wiring[k];
    return at.add >= 0 && at.add != at.from && last[at.add] == k;
  };
  acquire(0);
  for (int k = 0; k < steps; k++) {
    int to = k + 1;
    if (in_place(k))
      place[to] = place[m.wiring[k].add];
    else
      acquire(to);
    for (int reg = 0; reg < to; reg++)
      if (last[reg] == k && place[reg] != place[to]) unused.push_back(place[reg]);
    if (last[to] < 0) unused.push_back(place[to]);  // nobody reads it
  }

  size_t scratch = 0;
  for (auto &layer : m.layers) scratch = std::max(scratch, layer->scratch());
  scratch_ = zeroed(scratch);
  for (size_t bytes : size) buffers_.push_back(zeroed(bytes));
  for (int b : place) registers_.push_back(buffers_[b].get());
  for (int k = 0; k < steps; k++) {
    const Wiring &at = m.wiring[k];
    void *out = registers_[k + 1];
    bool copy = at.add >= 0 && !in_place(k);
    steps_.push_back({m.layers[k]->bind(registers_[at.from], out, scratch_.get()),
                      copy ? registers_[at.add] : nullptr, out,
                      m.setting.block * m.map_bytes(k + 1)});
  }
}

template <class T>
void ProcessorSession::expand(const uint64_t *planes, int n) {
  const Setting &s = model_.setting;
  T *in = static_cast<T *>(registers_[0]);
  int channels = padded(s.planes);
  for (int i = 0; i < n; i++)
    alamos::expand(planes + int64_t(i) * s.planes, s.constant.data(), s.planes,
                   in + int64_t(i) * 64 * channels, channels);
}

// Logits of the listed moves only: 35 rows of the policy layer a position in
// place of all. Moves are taken in the order of their rows, so that a row that
// several positions share is read once.
template <class T>
void ProcessorSession::linear_policy(const T *x, const Batch &b) {
  const Policy &p = model_.move;
  const T *weight = static_cast<const T *>(p.weight.get());
  int moves = b.offsets[b.n];
  next_.resize(moves);
  owner_.resize(moves);
  first_.assign(model_.policy_size, -1);
  for (int i = 0; i < b.n; i++)
    for (int j = b.offsets[i]; j < b.offsets[i + 1]; j++) {
      int row = b.indices[j];
      if (row < 0) continue;
      require(row < model_.policy_size, "alamos: a policy index is out of range");
      owner_[j] = i;
      next_[j] = first_[row];
      first_[row] = j;
    }
  rows_.clear();
  for (int row = 0; row < model_.policy_size; row++)
    if (first_[row] >= 0) rows_.push_back(row);
  for (size_t r = 0; r < rows_.size(); r++) {
    int row = rows_[r];
    const T *w = weight + row * p.features;
    const T *next = r + 1 < rows_.size() ? weight + rows_[r + 1] * p.features : w;
    for (int j = first_[row]; j >= 0; j = next_[j]) {
      b.priors[j] = p.bias[row] + dot(x + owner_[j] * p.features, w, p.features, next);
      next = w;  // which is there already
    }
  }
}

// Logits of the listed moves, each of one square and one map.
template <class T>
void ProcessorSession::map_policy(const T *x, const Batch &b) const {
  const Policy &p = model_.move;
  const T *weight = static_cast<const T *>(p.weight.get());
  for (int i = 0; i < b.n; i++, x += 64 * p.features)
    for (int j = b.offsets[i]; j < b.offsets[i + 1]; j++) {
      if (b.indices[j] < 0) continue;
      require(b.indices[j] < model_.policy_size, "alamos: a policy index is out of range");
      int map = b.indices[j] / 64, square = b.indices[j] % 64;
      const T *w = weight + map * p.features;
      b.priors[j] = p.bias[map] + dot(x + square * p.features, w, p.features, w);
    }
}

template <class T>
void ProcessorSession::evaluate(const Batch &b) {
  const ProcessorModel &m = model_;
  int block = m.setting.block;
  bool has_policy = m.policy_from >= 0, several = b.n > block;
  const void *maps = has_policy ? registers_[m.policy_from] : nullptr;
  size_t bytes = has_policy ? m.map_bytes(m.policy_from) : 0;
  if (several) {
    maps_.resize(std::max(maps_.size(), b.n * bytes));
    maps = maps_.data();
  }
  for (size_t h = 0; h < heads_.size(); h++) m.dense[h].start(heads_[h], b.n);
  for (int i = 0; i < b.n; i += block) {
    int some = std::min(block, b.n - i);
    expand<T>(b.planes + int64_t(i) * m.setting.planes, some);
    for (auto &step : steps_) {
      if (step.copy) std::memcpy(step.out, step.copy, step.bytes);
      step.call->run();
    }
    for (size_t h = 0; h < heads_.size(); h++)
      m.dense[h].read(heads_[h], i, some, static_cast<const T *>(registers_[m.heads[h].from]));
    if (has_policy && several) std::memcpy(&maps_[i * bytes], registers_[m.policy_from], some * bytes);
  }
  for (size_t h = 0; h < heads_.size(); h++) {
    m.dense[h].run(heads_[h], b.n);
    finish(m.heads[h].kind, 0, b.n, heads_[h].out.data(), b);
  }
  if (!has_policy) return;
  if (m.move.maps)
    map_policy(static_cast<const T *>(maps), b);
  else
    linear_policy(static_cast<const T *>(maps), b);
  normalize_priors(b);
}

// The weights of a policy, v[rows][channels], as maps are: padded, and in their
// precision.
Bytes ProcessorModel::policy_weights(const float *v, int64_t rows, int channels) const {
  int wide = padded(channels);
  Bytes out = zeroed(element() * rows * wide);
  for (int64_t r = 0; r < rows; r++)
    for (int c = 0; c < channels; c++) {
      int64_t at = r * wide + c;
      if (setting.half)
        static_cast<bf16 *>(out.get())[at] = to_bf16(v[r * channels + c]);
      else
        static_cast<float *>(out.get())[at] = v[r * channels + c];
    }
  return out;
}

std::unique_ptr<alamos_session> ProcessorModel::session() const {
  return std::make_unique<ProcessorSession>(*this);
}

}  // namespace

std::unique_ptr<alamos_model> processor_model(Setting setting, bool libtorch) {
  return std::make_unique<ProcessorModel>(std::move(setting), libtorch);
}

}  // namespace alamos
