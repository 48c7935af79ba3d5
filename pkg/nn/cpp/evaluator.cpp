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
  int from = -1, size = 0;
  int64_t features = 0;
  Bytes weight;  // [size][features] of float or bfloat16
  std::vector<float> bias;
};

struct Value {
  int from = -1, hidden = 0;            // hidden: to a multiple of 64, with zeros
  std::vector<float> conv, w1, b1, w2;  // w1 is [64][hidden]
  float conv_bias = 0, b2 = 0;
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
  Value value;

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
  std::vector<float> hidden;
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
  last[m.policy.from] = last[m.value.from] = steps;

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
void policy(alamos_session &s, int n, const T *x, const int32_t *offsets,
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
  for (int i = 0; i < n; i++)
    alamos::softmax(priors + offsets[i], indices + offsets[i],
                    offsets[i + 1] - offsets[i]);
}

template <class T>
void value(alamos_session &s, int n, float *values) {
  const alamos_model &m = *s.model;
  const Value &v = m.value;
  const T *x = static_cast<const T *>(s.registers[v.from]);
  int channels = padded(m.width[v.from]);
  float squares[alamos::group][64] = {};
  s.hidden.resize(alamos::group * v.hidden);
  for (int i = 0; i < n; i += alamos::group) {
    int some = std::min(alamos::group, n - i);
    for (int p = 0; p < some; p++)
      alamos::squeeze(x + int64_t(i + p) * 64 * channels, v.conv.data(), v.conv_bias,
                      channels, squares[p]);
    alamos::dense_relu(squares[0], v.w1.data(), v.b1.data(), 64, v.hidden, s.hidden.data());
    for (int p = 0; p < some; p++) {
      const float *hidden = &s.hidden[p * v.hidden];
      values[i + p] = std::tanh(v.b2 + alamos::dot(hidden, v.w2.data(), v.hidden, hidden));
    }
  }
}

template <class T>
void evaluate(alamos_session &s, int n, const uint64_t *planes,
              const int32_t *offsets, const int32_t *indices, float *priors,
              float *values) {
  const alamos_model &m = *s.model;
  const void *maps = s.registers[m.policy.from];
  size_t bytes = m.map_bytes(m.policy.from);
  bool several = n > m.block;
  if (several) {
    s.maps.resize(std::max(s.maps.size(), n * bytes));
    maps = s.maps.data();
  }
  for (int i = 0; i < n; i += m.block) {
    int some = std::min(m.block, n - i);
    expand<T>(s, some, planes + int64_t(i) * m.planes);
    run_layers(s);
    value<T>(s, some, values + i);
    if (several) std::memcpy(&s.maps[i * bytes], s.registers[m.policy.from], some * bytes);
  }
  policy<T>(s, n, static_cast<const T *>(maps), offsets, indices, priors);
}

}  // namespace

extern "C" {

int alamos_interface(void) { return ALAMOS_INTERFACE; }

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
    Policy p;
    p.from = from;
    p.size = size;
    p.features = int64_t(64) * padded(channels);
    p.weight = alamos::zeroed(m->element() * size * p.features);
    for (int64_t r = 0; r < int64_t(size) * 64; r++)
      for (int c = 0; c < channels; c++) {
        float v = weight[r * channels + c];
        int64_t at = r * padded(channels) + c;
        if (m->half)
          static_cast<bf16 *>(p.weight.get())[at] = alamos::to_bf16(v);
        else
          static_cast<float *>(p.weight.get())[at] = v;
      }
    p.bias.assign(bias, bias + size);
    m->policy = std::move(p);
  });
}

char *alamos_model_value(alamos_model *m, int from, int channels,
                         const float *conv, float conv_bias, int hidden,
                         const float *w1, const float *b1, const float *w2,
                         float b2) {
  return guard([&] {
    m->check_register(from, channels);
    require(hidden > 0, "alamos: a value head needs hidden features");
    Value v;
    v.from = from;
    v.hidden = (hidden + 63) / 64 * 64;
    v.conv = pad_rows(conv, 1, channels, padded(channels));
    v.conv_bias = conv_bias;
    v.w1.resize(64 * v.hidden);
    for (int s = 0; s < 64; s++)
      for (int h = 0; h < hidden; h++) v.w1[s * v.hidden + h] = w1[h * 64 + s];
    v.b1 = pad_rows(b1, 1, hidden, v.hidden);
    v.w2 = pad_rows(w2, 1, hidden, v.hidden);
    v.b2 = b2;
    m->value = std::move(v);
  });
}

void alamos_model_free(alamos_model *m) { delete m; }

char *alamos_session_new(const alamos_model *m, alamos_session **session) {
  return guard([&] {
    require(m->policy.from >= 0 && m->value.from >= 0,
            "alamos: a session needs a model with both heads");
    alamos::set_openmp_threads(1);
    auto s = std::make_unique<alamos_session>();
    s->model = m;
    plan(*s);
    *session = s.release();
  });
}

char *alamos_session_run(alamos_session *s, int n, const uint64_t *planes,
                         const int32_t *offsets, const int32_t *indices,
                         float *priors, float *values) {
  return guard([&] {
    alamos::set_openmp_threads(1);
    require(n >= 0, "alamos: a negative number of positions");
    if (s->model->half)
      evaluate<bf16>(*s, n, planes, offsets, indices, priors, values);
    else
      evaluate<float>(*s, n, planes, offsets, indices, priors, values);
  });
}

void alamos_session_free(alamos_session *s) { delete s; }

}  // extern "C"
