// The evaluator: a model is built layer by layer, and its sessions compute. Layers are
// run on a block at a time, a constant number of positions; the arithmetic of the
// heads is in kernels.cpp.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "alamos.h"
#include "dense.h"
#include "guard.h"
#include "kernels.h"
#include "layers.h"
#include "maps.h"
#include "process.h"

using alamos::bf16;
using alamos::Bytes;
using alamos::DenseHead;
using alamos::dot;
using alamos::guard;
using alamos::Layer;
using alamos::padded;
using alamos::require;

namespace {

// The registers that a layer reads.
struct Inputs {
  int from;
  int add;  // -1: nothing
};

// Weights are stored with the channels padded as maps are.
struct Policy {
  int from = -1;         // register; -1: no policy
  int size = 0;          // moves
  bool maps = false;     // the logits are maps, else a linear layer makes them
  int64_t features = 0;  // that a logit reads: of a square, or of all
  int pairs = 0;         // channels of a query and a key, which are all of a square's; 0: none
  std::vector<int32_t> places;  // [size][2]; empty: each move is at its own
  Bytes weight;          // [size, or maps][features] of float or bfloat16
  std::vector<float> bias;
};

struct Head {
  int kind, from;
  int units;   // that the next layer reads
  bool whole;  // it has its output
  DenseHead layers;
};

// Positions to evaluate, and where the answers go: see alamos_session_run.
struct Batch {
  int n;
  const uint64_t *planes;
  const int32_t *offsets, *indices;
  float *priors, *values, *wdl, *left;
};

}  // namespace

struct alamos_model {
  int block, planes;
  std::vector<uint8_t> constant;
  bool half, libtorch;

  std::vector<int> width;  // channels of each register
  // The k-th writes register[k + 1] = act(f(register[from]) + register[add]).
  std::vector<std::unique_ptr<Layer>> layers;
  std::vector<Inputs> inputs;  // of layers
  Policy policy;
  std::vector<Head> heads;

  size_t element() const { return half ? sizeof(bf16) : sizeof(float); }
  size_t map_bytes(int reg) const { return element() * 64 * padded(width[reg]); }

  int append(std::unique_ptr<Layer> layer, Inputs in, int channels) {
    layers.push_back(std::move(layer));
    inputs.push_back(in);
    width.push_back(channels);
    return int(width.size()) - 1;
  }

  // The last layer that reads each register: -1 for none, and for what a head or
  // the policy reads the number that follows the last layer's.
  std::vector<int> last_reads() const {
    int steps = int(layers.size());
    std::vector<int> last(width.size(), -1);
    for (int k = 0; k < steps; k++) {
      last[inputs[k].from] = k;
      if (inputs[k].add >= 0) last[inputs[k].add] = k;
    }
    if (policy.from >= 0) last[policy.from] = steps;
    for (auto &h : heads) last[h.from] = steps;
    return last;
  }
};

struct alamos_session {
 public:
  explicit alamos_session(const alamos_model &m) : model_(m), heads_(m.heads.size()) { plan(); }

  void run(const Batch &b) {
    int values = 0;
    for (const Head &h : model_.heads) values += h.kind != ALAMOS_MOVES_LEFT;
    require(values == 1, "alamos: a model has one value head");
    if (model_.half)
      evaluate<bf16>(b);
    else
      evaluate<float>(b);
  }

  void run_layers() {
    for (auto &step : steps_) {
      if (step.copy) std::memcpy(step.out, step.copy, step.bytes);
      step.call->run();
    }
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

  const alamos_model &model_;
  std::vector<Bytes> buffers_;
  std::vector<void *> registers_;  // of a block; several may share a buffer
  Bytes scratch_;
  std::vector<Step> steps_;

  std::vector<uint8_t> maps_;  // of the policy, when there is more than a block
  // Moves of a batch by policy index: first_[index] is the first, next_[] the rest.
  std::vector<int32_t> first_, next_, owner_, rows_;
  std::vector<DenseHead::Work> heads_;
};

namespace {

// Win, draw and loss of their logits.
void softmax3(const float *x, float *wdl) {
  float top = std::max(x[0], std::max(x[1], x[2])), sum = 0;
  for (int k = 0; k < 3; k++) sum += wdl[k] = std::exp(x[k] - top);
  for (int k = 0; k < 3; k++) wdl[k] /= sum;
}

// Writes what the outputs x of a head become. NaN passes.
void finish(int kind, const float *x, const Batch &b) {
  for (int i = 0; i < b.n; i++) {
    switch (kind) {
      case ALAMOS_VALUE_TANH:
        b.values[i] = std::tanh(x[i]);
        break;
      case ALAMOS_VALUE_LINEAR:
        b.values[i] = alamos::bounded(x[i]);
        break;
      case ALAMOS_VALUE_WDL:
        softmax3(x + 3 * i, b.wdl + 3 * i);
        b.values[i] = b.wdl[3 * i] - b.wdl[3 * i + 2];
        break;
      case ALAMOS_MOVES_LEFT:
        b.left[i] = x[i];
        break;
    }
  }
}

}  // namespace

// Gives every register a buffer and binds the layers to them. A buffer is
// used again as soon as no layer reads it any more, so that a residual tower lives
// in two, which stay in the cache. A layer adds to what its output holds:
// where no other layer reads the addend, it is overwritten in place.
void alamos_session::plan() {
  const alamos_model &m = model_;
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
    size[b] = std::max(size[b], m.block * m.map_bytes(reg));
    place[reg] = b;
  };
  auto in_place = [&](int k) {
    const Inputs &at = m.inputs[k];
    return at.add >= 0 && at.add != at.from && last[at.add] == k;
  };
  acquire(0);
  for (int k = 0; k < steps; k++) {
    int to = k + 1;
    if (in_place(k))
      place[to] = place[m.inputs[k].add];
    else
      acquire(to);
    for (int reg = 0; reg < to; reg++)
      if (last[reg] == k && place[reg] != place[to]) unused.push_back(place[reg]);
    if (last[to] < 0) unused.push_back(place[to]);  // no layer reads it
  }

  size_t scratch = 0;
  for (auto &layer : m.layers) scratch = std::max(scratch, layer->scratch());
  scratch_ = alamos::zeroed(scratch);
  for (size_t bytes : size) buffers_.push_back(alamos::zeroed(bytes));
  for (int b : place) registers_.push_back(buffers_[b].get());
  for (int k = 0; k < steps; k++) {
    const Inputs &at = m.inputs[k];
    void *out = registers_[k + 1];
    bool copy = at.add >= 0 && !in_place(k);
    steps_.push_back({m.layers[k]->bind(registers_[at.from], out, scratch_.get()),
                      copy ? registers_[at.add] : nullptr, out,
                      m.block * m.map_bytes(k + 1)});
  }
}

template <class T>
void alamos_session::expand(const uint64_t *planes, int n) {
  T *in = static_cast<T *>(registers_[0]);
  int channels = padded(model_.planes);
  for (int i = 0; i < n; i++)
    alamos::expand(planes + int64_t(i) * model_.planes, model_.constant.data(), model_.planes,
                   in + int64_t(i) * 64 * channels, channels);
}

// Logits of the listed moves only: 35 rows of the policy layer for a position
// instead of all. Moves are taken in the order of their rows, so that a row that
// several positions share is read once.
template <class T>
void alamos_session::linear_policy(const T *x, const Batch &b) {
  const Policy &p = model_.policy;
  const T *weight = static_cast<const T *>(p.weight.get());
  int moves = b.offsets[b.n];
  next_.resize(moves);
  owner_.resize(moves);
  first_.assign(p.size, -1);
  for (int i = 0; i < b.n; i++)
    for (int j = b.offsets[i]; j < b.offsets[i + 1]; j++) {
      int row = b.indices[j];
      if (row < 0) continue;
      require(row < p.size, "alamos: a policy index is out of range");
      owner_[j] = i;
      next_[j] = first_[row];
      first_[row] = j;
    }
  rows_.clear();
  for (int row = 0; row < p.size; row++)
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

// Logits of the listed moves, each of one square and one map, or of two.
template <class T>
void alamos_session::map_policy(const T *x, const Batch &b) const {
  const Policy &p = model_.policy;
  const T *weight = static_cast<const T *>(p.weight.get());
  int64_t wide = padded(model_.width[p.from]);
  int products = p.pairs ? 64 : 0;
  auto logit = [&](int place) {
    int map = place / 64;
    const T *in = x + place % 64 * wide + p.pairs;
    if (map < products) return dot(x + map * wide, in, p.pairs, in);
    map -= products;
    const T *w = weight + map * p.features;
    return p.bias[map] + dot(in, w, p.pairs ? p.pairs : p.features, w);
  };
  for (int i = 0; i < b.n; i++, x += 64 * wide)
    for (int j = b.offsets[i]; j < b.offsets[i + 1]; j++) {
      int index = b.indices[j];
      if (index < 0) continue;
      require(index < p.size, "alamos: a policy index is out of range");
      const int32_t *places = p.places.empty() ? &index : &p.places[2 * index];
      b.priors[j] = logit(places[0]);
      if (!p.places.empty() && places[1] >= 0) b.priors[j] += logit(places[1]);
    }
}

template <class T>
void alamos_session::evaluate(const Batch &b) {
  const alamos_model &m = model_;
  int block = m.block;
  bool has_policy = m.policy.from >= 0, several = b.n > block;
  const void *maps = has_policy ? registers_[m.policy.from] : nullptr;
  size_t bytes = has_policy ? m.map_bytes(m.policy.from) : 0;
  if (several) {
    maps_.resize(std::max(maps_.size(), b.n * bytes));
    maps = maps_.data();
  }
  for (size_t h = 0; h < heads_.size(); h++) m.heads[h].layers.start(heads_[h], b.n);
  for (int i = 0; i < b.n; i += block) {
    int some = std::min(block, b.n - i);
    expand<T>(b.planes + int64_t(i) * m.planes, some);
    run_layers();
    for (size_t h = 0; h < heads_.size(); h++)
      m.heads[h].layers.read(heads_[h], i, some, static_cast<const T *>(registers_[m.heads[h].from]));
    if (has_policy && several) std::memcpy(&maps_[i * bytes], registers_[m.policy.from], some * bytes);
  }
  for (size_t h = 0; h < heads_.size(); h++) {
    m.heads[h].layers.run(heads_[h], b.n);
    finish(m.heads[h].kind, heads_[h].out.data(), b);
  }
  if (!has_policy) return;
  if (m.policy.maps)
    map_policy(static_cast<const T *>(maps), b);
  else
    linear_policy(static_cast<const T *>(maps), b);
  alamos_softmax(b.n, b.offsets, b.indices, b.priors);
}

namespace {

// v[rows][from], each row with zeros after it, as [rows][to].
std::vector<float> pad_rows(const float *v, int64_t rows, int from, int to) {
  std::vector<float> out(rows * to);
  for (int64_t r = 0; r < rows; r++) std::copy_n(v + r * from, from, &out[r * to]);
  return out;
}

template <class T>
class Scale : public Layer {
 public:
  Scale(int positions, std::vector<float> scale, std::vector<float> shift, alamos_activation act)
      : rows(int64_t(64) * positions), factor(std::move(scale)), shift(std::move(shift)), act(act) {}

  class ScaleCall : public Call {
   public:
    ScaleCall(const Scale &layer, const T *in, T *out) : layer(layer), in(in), out(out) {}

    void run() override {
      alamos::scale(in, out, layer.rows, int(layer.factor.size()), layer.factor.data(),
            layer.shift.data(), layer.act);
    }

   private:
    const Scale &layer;
    const T *in;
    T *out;
  };

  std::unique_ptr<Call> bind(const void *in, void *out, void *) const override {
    return std::make_unique<ScaleCall>(*this, static_cast<const T *>(in), static_cast<T *>(out));
  }

 private:
  int64_t rows;
  std::vector<float> factor, shift;
  alamos_activation act;
};


alamos_activation activation(int act) {
  require(act >= ALAMOS_IDENTITY && act <= ALAMOS_MISH, "alamos: no such activation");
  return static_cast<alamos_activation>(act);
}

void check_register(const alamos_model &m, int from, int channels) {
  require(from >= 0 && from < int(m.width.size()) && m.width[from] == channels,
          "alamos: a layer reads a register that is not there or has another "
          "number of channels");
}

// Sets the policy, with weights v[rows][channels] in the precision of the maps.
void set_policy(alamos_model &m, int from, int channels, int size, int64_t rows, const float *v,
                std::vector<float> bias) {
  require(size > 0, "alamos: a policy needs at least one move");
  require(m.policy.from < 0, "alamos: a model has one policy");
  int wide = padded(channels);
  Bytes weight = alamos::zeroed(m.element() * rows * wide);
  for (int64_t r = 0; r < rows; r++)
    for (int c = 0; c < channels; c++) {
      int64_t at = r * wide + c;
      if (m.half)
        static_cast<bf16 *>(weight.get())[at] = alamos::to_bf16(v[r * channels + c]);
      else
        static_cast<float *>(weight.get())[at] = v[r * channels + c];
    }
  m.policy.from = from;
  m.policy.size = size;
  m.policy.weight = std::move(weight);
  m.policy.bias = std::move(bias);
}

// out = act(scale[c] in + shift[c]); scale and shift are [channels], padded.
std::unique_ptr<Layer> scale_layer(int positions, bool half, std::vector<float> scale,
                                   std::vector<float> shift, alamos_activation act) {
  if (half) return std::make_unique<Scale<bf16>>(positions, std::move(scale), std::move(shift), act);
  return std::make_unique<Scale<float>>(positions, std::move(scale), std::move(shift), act);
}

}  // namespace

char *alamos_model_new(int block, int planes, const uint8_t *constant, int half, int libtorch,
                       alamos_model **model) {
  return guard([&] {
    require(block > 0 && planes > 0, "alamos: a model needs a block and planes of at least 1");
    require(!half || alamos::has_bf16(), "alamos: this processor has no bfloat16 arithmetic");
    auto m = std::make_unique<alamos_model>();
    m->block = block;
    m->planes = planes;
    m->constant.assign(constant, constant + planes);
    m->half = half != 0;
    m->libtorch = libtorch != 0;
    m->width = {planes};
    *model = m.release();
  });
}

char *alamos_model_conv(alamos_model *m, int from, int add, int in, int out, int kernel, int act,
                        const float *weight, const float *bias, int *to) {
  return guard([&] {
    require(kernel == 1 || kernel == 3, "alamos: a convolution must be 1x1 or 3x3");
    check_register(*m, from, in);
    if (add >= 0) check_register(*m, add, out);
    alamos::set_openmp_threads(1);
    alamos::ConvolutionShape shape{m->block, padded(in), padded(out), kernel, m->half, add >= 0, activation(act)};
    auto w = pad_rows(weight, out, in * kernel * kernel, shape.in * kernel * kernel);
    w.resize(int64_t(shape.out) * shape.in * kernel * kernel);
    auto b = pad_rows(bias, 1, out, shape.out);
    std::unique_ptr<Layer> layer;
    if (!m->libtorch) layer = alamos::onednn_convolution(shape, w.data(), b.data());
    if (!layer) layer = alamos::libtorch_convolution(shape, w.data(), b.data());
    *to = m->append(std::move(layer), {from, add}, out);
  });
}

char *alamos_model_scale(alamos_model *m, int from, int channels, int act, const float *scale,
                         const float *shift, int *to) {
  return guard([&] {
    check_register(*m, from, channels);
    int wide = padded(channels);
    *to = m->append(scale_layer(m->block, m->half, pad_rows(scale, 1, channels, wide),
                                pad_rows(shift, 1, channels, wide), activation(act)),
                    {from, -1}, channels);
  });
}

char *alamos_model_attention(alamos_model *m, int from, int add, int channels, int hidden, int act,
                             const alamos_attention *arrays, int *to) {
  return guard([&] {
    check_register(*m, from, channels);
    if (add >= 0) check_register(*m, add, channels);
    require(hidden > 0, "alamos: attention needs hidden features");
    alamos::AttentionShape shape{m->block, channels, hidden, m->half, add >= 0, activation(act)};
    *to = m->append(alamos::attention_layer(shape, *arrays), {from, add}, channels);
  });
}

char *alamos_model_policy(alamos_model *m, int from, int channels, int size, const float *weight,
                          const float *bias) {
  return guard([&] {
    check_register(*m, from, channels);
    set_policy(*m, from, channels, size, int64_t(size) * 64, weight, {bias, bias + size});
    m->policy.features = int64_t(64) * padded(channels);
  });
}

char *alamos_model_policy_maps(alamos_model *m, int from, int channels, int pairs, int maps,
                               const float *weight, const float *bias, int size, const int32_t *places) {
  return guard([&] {
    check_register(*m, from, channels);
    require(pairs == 0 || channels == 2 * pairs, "alamos: pairs of squares need a query and a key");
    int all = 64 * (maps + (pairs ? 64 : 0));
    require(places || size == all, "alamos: a policy of another size than its maps needs places");
    for (int i = 0; places && i < 2 * size; i++)
      require(places[i] < all && places[i] >= (i % 2 ? -1 : 0), "alamos: a place is not in the maps");
    set_policy(*m, from, pairs ? pairs : channels, size, maps, weight, {bias, bias + maps});
    Policy &p = m->policy;
    p.maps = true;
    p.features = padded(pairs ? pairs : channels);
    p.pairs = pairs;
    if (places) p.places.assign(places, places + 2 * size);
  });
}

char *alamos_model_head(alamos_model *m, int kind, int from, int channels, int pooled,
                        const float *conv, float conv_bias) {
  return guard([&] {
    require(!pooled || !conv, "alamos: a head that pools has no convolution of its own");
    check_register(*m, from, channels);
    require(kind >= ALAMOS_VALUE_TANH && kind <= ALAMOS_MOVES_LEFT, "alamos: no such head");
    int features = conv ? 64 : (pooled ? 2 : 64) * channels;
    m->heads.push_back({kind, from, features, false, DenseHead(channels, pooled != 0, conv, conv_bias)});
  });
}

char *alamos_model_dense(alamos_model *m, int in, int out, int relu, const float *weight,
                         const float *bias) {
  return guard([&] {
    require(!m->heads.empty() && !m->heads.back().whole,
            "alamos: a dense layer belongs to a head that is not whole");
    Head &h = m->heads.back();
    require(in == h.units && out > 0, "alamos: a dense layer reads another number of features");
    if (relu) {
      h.layers.hidden(in, out, weight, bias);
      h.units = out;
      return;
    }
    require(out == (h.kind == ALAMOS_VALUE_WDL ? 3 : 1), "alamos: a head has another number of outputs");
    h.layers.output(in, out, weight, bias);
    h.whole = true;
  });
}

void alamos_model_free(alamos_model *m) { delete m; }

char *alamos_session_new(const alamos_model *m, alamos_session **session) {
  return guard([&] {
    for (auto &h : m->heads) require(h.whole, "alamos: a session needs a model with heads that are whole");
    alamos::set_openmp_threads(1);
    *session = new alamos_session(*m);
  });
}

char *alamos_session_run(alamos_session *s, int n, const uint64_t *planes, const int32_t *offsets,
                         const int32_t *indices, float *priors, float *values, float *wdl, float *left) {
  return guard([&] {
    require(n >= 0, "alamos: a negative number of positions");
    alamos::set_openmp_threads(1);
    s->run({n, planes, offsets, indices, priors, values, wdl, left});
  });
}

char *alamos_session_layers(alamos_session *s) {
  return guard([&] {
    alamos::set_openmp_threads(1);
    s->run_layers();
  });
}

void alamos_session_free(alamos_session *s) { delete s; }

void alamos_softmax(int n, const int32_t *offsets, const int32_t *indices, float *priors) {
  for (int i = 0; i < n; i++)
    alamos::softmax(priors + offsets[i], indices + offsets[i], offsets[i + 1] - offsets[i]);
}
