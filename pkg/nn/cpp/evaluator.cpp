// The evaluator: a frozen network run on the CPU. Layers are done by the block, a
// constant number of positions; the arithmetic of the heads is in kernels.cpp.
#include "alamos.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "attention.h"
#include "convolution.h"
#include "dense.h"
#include "guard.h"
#include "kernels.h"
#include "memory.h"
#include "scale.h"
#include "threads.h"

using alamos::bf16;
using alamos::Bytes;
using alamos::guard;
using alamos::Layer;
using alamos::padded;
using alamos::require;

namespace {

// register[to] = act(f(register[from]) + register[add])
struct Step {
  int from, add, to;  // add: -1 for nothing
  std::unique_ptr<Layer> layer;
};

// Weights are stored with the channels padded as maps are.
struct Policy {
  int from = -1, size = 0;  // from: -1 for no policy
  bool maps = false;        // the logits are maps, else a linear layer makes them
  int64_t features = 0;     // that a logit reads: of a square, or of all
  Bytes weight;             // [size, or maps][features] of float or bfloat16
  std::vector<float> bias;
};

struct Head {
  int kind = -1, from = -1;
  alamos::DenseHead dense;
};

// v[rows][from], each row with zeros after it, as [rows][to].
std::vector<float> pad_rows(const float *v, int64_t rows, int from, int to) {
  std::vector<float> out(rows * to);
  for (int64_t r = 0; r < rows; r++) std::copy_n(v + r * from, from, &out[r * to]);
  return out;
}

alamos_activation activation(int act) {
  require(act >= ALAMOS_IDENTITY && act <= ALAMOS_MISH, "alamos: no such activation");
  return static_cast<alamos_activation>(act);
}

}  // namespace

struct alamos_model {
  int block = 0, planes = 0;
  std::vector<uint8_t> constant;
  bool half = false, libtorch = false;
  std::vector<int> width;  // channels of each register, not padded
  std::vector<Step> steps;
  Policy policy;
  std::vector<Head> heads;

  size_t element() const { return half ? sizeof(bf16) : sizeof(float); }
  size_t map_bytes(int reg) const { return element() * 64 * padded(width[reg]); }

  void check_register(int from, int channels) const {
    require(from >= 0 && from < int(width.size()) && width[from] == channels,
            "alamos: a step reads a register that is not there or has another "
            "number of channels");
  }

  // Appends a layer that writes out channels, and tells in which register.
  int append(int from, int add, int out, std::unique_ptr<Layer> layer) {
    int to = int(width.size());
    steps.push_back({from, add, to, std::move(layer)});
    width.push_back(out);
    return to;
  }
};

struct alamos_session {
  const alamos_model *model;
  std::vector<Bytes> buffers;
  std::vector<void *> registers;  // of a block; several may share a buffer
  Bytes scratch;
  struct Step {
    std::unique_ptr<Layer::Call> call;
    const void *copy;  // to where the call adds; nullptr when it is there
    void *out;
    size_t bytes;
  };
  std::vector<Step> steps;

  std::vector<uint8_t> maps;  // of the policy, when there is more than a block
  // Moves of a batch by policy index: head[index] is the first, next[] the rest.
  std::vector<int32_t> head, next, owner, rows;
  std::vector<alamos::DenseHead::Work> heads;
};

namespace {

// Gives every register a buffer and binds the layers to them. A buffer is
// used again as soon as nobody reads it any more, so that a residual tower lives
// in two, which stay in the cache. A layer adds to what its output holds:
// where nobody else reads the addend, it is overwritten in place.
void plan(alamos_session &s) {
  const alamos_model &m = *s.model;
  int steps = int(m.steps.size());
  std::vector<int> last(m.width.size(), -1);
  for (int k = 0; k < steps; k++) {
    last[m.steps[k].from] = k;
    if (m.steps[k].add >= 0) last[m.steps[k].add] = k;
  }
  if (m.policy.from >= 0) last[m.policy.from] = steps;
  for (const Head &h : m.heads) last[h.from] = steps;

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
    const Step &step = m.steps[k];
    return step.add >= 0 && step.add != step.from && last[step.add] == k;
  };
  acquire(0);
  for (int k = 0; k < steps; k++) {
    const Step &step = m.steps[k];
    if (in_place(k))
      place[step.to] = place[step.add];
    else
      acquire(step.to);
    for (int reg = 0; reg < step.to; reg++)
      if (last[reg] == k && place[reg] != place[step.to]) unused.push_back(place[reg]);
    if (last[step.to] < 0) unused.push_back(place[step.to]);  // nobody reads it
  }

  size_t scratch = 0;
  for (const Step &step : m.steps) scratch = std::max(scratch, step.layer->scratch());
  s.scratch = alamos::zeroed(scratch);
  for (size_t bytes : size) s.buffers.push_back(alamos::zeroed(bytes));
  for (int b : place) s.registers.push_back(s.buffers[b].get());
  for (int k = 0; k < steps; k++) {
    const Step &step = m.steps[k];
    void *out = s.registers[step.to];
    bool copy = step.add >= 0 && !in_place(k);
    s.steps.push_back({step.layer->bind(s.registers[step.from], out, s.scratch.get()),
                       copy ? s.registers[step.add] : nullptr, out,
                       m.block * m.map_bytes(step.to)});
  }
}

void run_layers(alamos_session &s) {
  for (auto &step : s.steps) {
    if (step.copy) std::memcpy(step.out, step.copy, step.bytes);
    step.call->run();
  }
}

template <class T>
void expand(alamos_session &s, int n, const uint64_t *planes) {
  const alamos_model &m = *s.model;
  T *in = static_cast<T *>(s.registers[0]);
  int channels = padded(m.planes);
  for (int i = 0; i < n; i++)
    alamos::expand(planes + int64_t(i) * m.planes, m.constant.data(), m.planes,
                   in + int64_t(i) * 64 * channels, channels);
}

// Logits of the listed moves only: 35 rows of the policy layer a position in
// place of all. Moves are taken in the order of their rows, so that a row that
// several positions share is read once.
template <class T>
void linear_policy(alamos_session &s, int n, const T *x, const int32_t *offsets,
                   const int32_t *indices, float *priors) {
  const Policy &p = s.model->policy;
  const T *weight = static_cast<const T *>(p.weight.get());
  int moves = offsets[n];
  s.next.resize(moves);
  s.owner.resize(moves);
  s.head.assign(p.size, -1);
  for (int i = 0; i < n; i++)
    for (int j = offsets[i]; j < offsets[i + 1]; j++) {
      int row = indices[j];
      if (row < 0) continue;
      require(row < p.size, "alamos: a policy index is out of range");
      s.owner[j] = i;
      s.next[j] = s.head[row];
      s.head[row] = j;
    }
  s.rows.clear();
  for (int row = 0; row < p.size; row++)
    if (s.head[row] >= 0) s.rows.push_back(row);
  for (size_t r = 0; r < s.rows.size(); r++) {
    int row = s.rows[r];
    const T *w = weight + row * p.features;
    const T *next = r + 1 < s.rows.size() ? weight + s.rows[r + 1] * p.features : w;
    for (int j = s.head[row]; j >= 0; j = s.next[j]) {
      priors[j] = p.bias[row] + alamos::dot(x + s.owner[j] * p.features, w, p.features, next);
      next = w;  // which is there already
    }
  }
}

// Logits of the listed moves, each of one square and one map.
template <class T>
void map_policy(alamos_session &s, int n, const T *x, const int32_t *offsets,
                const int32_t *indices, float *priors) {
  const Policy &p = s.model->policy;
  const T *weight = static_cast<const T *>(p.weight.get());
  for (int i = 0; i < n; i++, x += 64 * p.features)
    for (int j = offsets[i]; j < offsets[i + 1]; j++) {
      if (indices[j] < 0) continue;
      require(indices[j] < p.size, "alamos: a policy index is out of range");
      int map = indices[j] / 64, square = indices[j] % 64;
      const T *w = weight + map * p.features;
      priors[j] = p.bias[map] + alamos::dot(x + square * p.features, w, p.features, w);
    }
}

template <class T>
void policy(alamos_session &s, int n, const T *x, const int32_t *offsets,
            const int32_t *indices, float *priors) {
  if (s.model->policy.maps)
    map_policy(s, n, x, offsets, indices, priors);
  else
    linear_policy(s, n, x, offsets, indices, priors);
  for (int i = 0; i < n; i++)
    alamos::softmax(priors + offsets[i], indices + offsets[i],
                    offsets[i + 1] - offsets[i]);
}

// Win, draw and loss of their logits.
void softmax3(const float *x, float *wdl) {
  float top = std::max(x[0], std::max(x[1], x[2])), sum = 0;
  for (int k = 0; k < 3; k++) sum += wdl[k] = std::exp(x[k] - top);
  for (int k = 0; k < 3; k++) wdl[k] /= sum;
}

// What becomes of the outputs x of a head. NaN passes.
void finish(int kind, int n, const float *x, float *values, float *wdl, float *left) {
  for (int i = 0; i < n; i++) switch (kind) {
      case ALAMOS_VALUE_TANH:
        values[i] = std::tanh(x[i]);
        break;
      case ALAMOS_VALUE_LINEAR:
        values[i] = x[i] < -1 ? -1 : x[i] > 1 ? 1 : x[i];
        break;
      case ALAMOS_VALUE_WDL:
        softmax3(x + 3 * i, wdl + 3 * i);
        values[i] = wdl[3 * i] - wdl[3 * i + 2];
        break;
      case ALAMOS_MOVES_LEFT:
        left[i] = x[i];
        break;
    }
}

template <class T>
void evaluate(alamos_session &s, int n, const uint64_t *planes,
              const int32_t *offsets, const int32_t *indices, float *priors,
              float *values, float *wdl, float *left) {
  const alamos_model &m = *s.model;
  bool has_policy = m.policy.from >= 0, several = n > m.block;
  const void *maps = has_policy ? s.registers[m.policy.from] : nullptr;
  size_t bytes = has_policy ? m.map_bytes(m.policy.from) : 0;
  if (several) {
    s.maps.resize(std::max(s.maps.size(), n * bytes));
    maps = s.maps.data();
  }
  for (size_t h = 0; h < m.heads.size(); h++) m.heads[h].dense.start(s.heads[h], n);
  for (int i = 0; i < n; i += m.block) {
    int some = std::min(m.block, n - i);
    expand<T>(s, some, planes + int64_t(i) * m.planes);
    run_layers(s);
    for (size_t h = 0; h < m.heads.size(); h++)
      m.heads[h].dense.read(s.heads[h], i, some, static_cast<const T *>(s.registers[m.heads[h].from]));
    if (has_policy && several) std::memcpy(&s.maps[i * bytes], s.registers[m.policy.from], some * bytes);
  }
  for (size_t h = 0; h < m.heads.size(); h++) {
    m.heads[h].dense.run(s.heads[h], n);
    finish(m.heads[h].kind, n, s.heads[h].out.data(), values, wdl, left);
  }
  if (has_policy) policy<T>(s, n, static_cast<const T *>(maps), offsets, indices, priors);
}

// The weights of a policy, v[rows][channels], as maps are: padded, and in their
// precision.
Bytes policy_weights(const alamos_model &m, const float *v, int64_t rows, int channels) {
  int wide = padded(channels);
  Bytes out = alamos::zeroed(m.element() * rows * wide);
  for (int64_t r = 0; r < rows; r++)
    for (int c = 0; c < channels; c++) {
      int64_t at = r * wide + c;
      if (m.half)
        static_cast<bf16 *>(out.get())[at] = alamos::to_bf16(v[r * channels + c]);
      else
        static_cast<float *>(out.get())[at] = v[r * channels + c];
    }
  return out;
}

}  // namespace

extern "C" {

int alamos_has_bf16(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl");
#else
  return 0;
#endif
}

void alamos_set_threads(int openmp, int openblas) {
  alamos::set_openmp_threads(openmp);
  alamos::set_openblas_threads(openblas);
  alamos::keep_freed_memory();
}

char *alamos_model_new(int block, int planes, const uint8_t *constant, int half,
                       int libtorch, alamos_model **model) {
  return guard([&] {
    require(block > 0 && planes > 0, "alamos: a model needs a block and planes of at least 1");
    require(!half || alamos_has_bf16(), "alamos: this processor has no bfloat16 arithmetic");
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

char *alamos_model_conv(alamos_model *m, int from, int add, int in, int out,
                        int kernel, int act, const float *weight,
                        const float *bias, int *to) {
  return guard([&] {
    alamos::set_openmp_threads(1);
    require(kernel == 1 || kernel == 3, "alamos: a convolution must be 1x1 or 3x3");
    m->check_register(from, in);
    if (add >= 0) m->check_register(add, out);
    alamos::ConvolutionShape shape{m->block, padded(in), padded(out), kernel,
                                   m->half, add >= 0, activation(act)};
    auto w = pad_rows(weight, out, in * kernel * kernel, shape.in * kernel * kernel);
    w.resize(int64_t(shape.out) * shape.in * kernel * kernel);
    auto b = pad_rows(bias, 1, out, shape.out);
    std::unique_ptr<Layer> layer;
    if (!m->libtorch) layer = alamos::onednn_convolution(shape, w.data(), b.data());
    if (!layer) layer = alamos::libtorch_convolution(shape, w.data(), b.data());
    *to = m->append(from, add, out, std::move(layer));
  });
}

char *alamos_model_scale(alamos_model *m, int from, int channels, int act,
                         const float *scale, const float *shift, int *to) {
  return guard([&] {
    m->check_register(from, channels);
    int wide = padded(channels);
    auto s = pad_rows(scale, 1, channels, wide), b = pad_rows(shift, 1, channels, wide);
    *to = m->append(from, -1, channels,
                    alamos::scale_layer(m->block, m->half, std::move(s), std::move(b), activation(act)));
  });
}

char *alamos_model_attention(alamos_model *m, int from, int add, int channels,
                             int hidden, int act, const float *w1,
                             const float *w2, const float *spatial, int *to) {
  return guard([&] {
    m->check_register(from, channels);
    if (add >= 0) m->check_register(add, channels);
    require(hidden > 0, "alamos: attention needs hidden features");
    alamos::AttentionShape shape{m->block, channels, hidden, m->half, add >= 0, activation(act)};
    std::vector<float> kernel;
    if (spatial) kernel.assign(spatial, spatial + 2 * alamos::attention_kernel * alamos::attention_kernel);
    *to = m->append(from, add, channels, alamos::attention_layer(shape, w1, w2, std::move(kernel)));
  });
}

char *alamos_model_policy(alamos_model *m, int from, int channels, int size,
                          const float *weight, const float *bias) {
  return guard([&] {
    m->check_register(from, channels);
    require(size > 0, "alamos: a policy needs at least one move");
    m->policy = {from, size, false, int64_t(64) * padded(channels),
                 policy_weights(*m, weight, int64_t(size) * 64, channels),
                 std::vector<float>(bias, bias + size)};
  });
}

char *alamos_model_policy_maps(alamos_model *m, int from, int channels,
                               int maps, const float *weight, const float *bias) {
  return guard([&] {
    m->check_register(from, channels);
    require(maps > 0, "alamos: a policy needs at least one map");
    m->policy = {from, 64 * maps, true, padded(channels),
                 policy_weights(*m, weight, maps, channels),
                 std::vector<float>(bias, bias + maps)};
  });
}

char *alamos_model_head(alamos_model *m, int kind, int from, int channels,
                        const float *conv, float conv_bias) {
  return guard([&] {
    m->check_register(from, channels);
    require(kind >= ALAMOS_VALUE_TANH && kind <= ALAMOS_MOVES_LEFT, "alamos: no such head");
    m->heads.push_back({kind, from, alamos::DenseHead(channels, conv, conv_bias)});
  });
}

char *alamos_model_dense(alamos_model *m, int in, int out, int relu,
                         const float *weight, const float *bias) {
  return guard([&] {
    require(!m->heads.empty(), "alamos: a dense layer needs a head");
    Head &h = m->heads.back();
    if (relu) {
      h.dense.hidden(in, out, weight, bias);
      return;
    }
    require(out == (h.kind == ALAMOS_VALUE_WDL ? 3 : 1), "alamos: a head has another number of outputs");
    h.dense.output(in, out, weight, bias);
  });
}

void alamos_model_free(alamos_model *m) { delete m; }

char *alamos_session_new(const alamos_model *m, alamos_session **session) {
  return guard([&] {
    int values = 0, whole = 0;
    for (const Head &h : m->heads) {
      values += h.kind != ALAMOS_MOVES_LEFT;
      whole += h.dense.whole();
    }
    require(values == 1 && whole == int(m->heads.size()),
            "alamos: a session needs a model with one value head, and heads that are whole");
    alamos::set_openmp_threads(1);
    auto s = std::make_unique<alamos_session>();
    s->model = m;
    s->heads.resize(m->heads.size());
    plan(*s);
    *session = s.release();
  });
}

char *alamos_session_run(alamos_session *s, int n, const uint64_t *planes,
                         const int32_t *offsets, const int32_t *indices,
                         float *priors, float *values, float *wdl, float *left) {
  return guard([&] {
    alamos::set_openmp_threads(1);
    require(n >= 0, "alamos: a negative number of positions");
    if (s->model->half)
      evaluate<bf16>(*s, n, planes, offsets, indices, priors, values, wdl, left);
    else
      evaluate<float>(*s, n, planes, offsets, indices, priors, values, wdl, left);
  });
}

void alamos_session_free(alamos_session *s) { delete s; }

}  // extern "C"
