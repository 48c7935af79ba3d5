// The evaluator: a frozen network run a batch at a time on the CPU.
//
// Convolutions are oneDNN's, with weights packed once for the batch's shape
// (libtorch's mkldnn_prepacked operators, reached through the dispatcher since
// no public header declares them), or at::conv2d where libtorch lacks these.
// All else is in kernels.cpp.
#include "alamos.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/stack.h>
#include <c10/core/InferenceMode.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels.h"
#include "memory.h"
#include "threads.h"

using alamos::bf16;

namespace {

// Runs f; what it throws becomes the message that the caller frees.
template <class F>
char *guard(F f) {
  try {
    f();
    return nullptr;
  } catch (const c10::Error &e) {
    return strdup(e.what_without_backtrace());
  } catch (const std::exception &e) {
    return strdup(e.what());
  } catch (...) {
    return strdup("unknown C++ exception");
  }
}

void require(bool ok, const char *what) {
  if (!ok) throw std::invalid_argument(what);
}

// What a step reads and writes: a batch of maps, channels last.
struct Conv {
  int from, to, add;
  int in, out, kernel;
  bool relu;
  at::Tensor weight, bias;  // for at::conv2d
  c10::IValue packed;       // for conv2d_run, none without it
};

struct Policy {
  int from = -1, channels = 0, size = 0;
  std::vector<float> weight;
  std::vector<bf16> weight16;
  std::vector<float> bias;
};

struct Value {
  int from = -1, channels = 0, hidden = 0;
  std::vector<float> conv, w1, b1, w2;  // w1 is [64][hidden]
  float conv_bias = 0, b2 = 0;
};

const c10::OperatorHandle *find_operator(const char *name) {
  static std::vector<std::unique_ptr<c10::OperatorHandle>> found;
  auto op = c10::Dispatcher::singleton().findSchema({name, ""});
  if (!op) return nullptr;
  found.push_back(std::make_unique<c10::OperatorHandle>(*op));
  return found.back().get();
}

const c10::OperatorHandle *prepack_operator() {
  static auto *op = find_operator("mkldnn_prepacked::conv2d_prepack");
  return op;
}

const c10::OperatorHandle *run_operator() {
  static auto *op = find_operator("mkldnn_prepacked::conv2d_run");
  return op;
}

// oneDNN's fastest kernels work on whole groups of 16 channels.
int round_up(int n) { return (n + 15) / 16 * 16; }

}  // namespace

struct alamos_model {
  int batch = 0, planes = 0, channels = 0;  // channels: planes padded
  std::vector<uint8_t> constant;
  bool half = false;
  std::vector<int> width;  // channels of each register
  std::vector<Conv> convs;
  Policy policy;
  Value value;

  at::ScalarType type() const { return half ? at::kBFloat16 : at::kFloat; }

  at::Tensor maps(int channels) const {
    return at::empty({batch, channels, 8, 8}, type(),
                     at::MemoryFormat::ChannelsLast).zero_();
  }

  void check_register(int from, int channels) const {
    require(from >= 0 && from < int(width.size()) && width[from] == channels,
            "alamos: a step reads a register that is not there or has another "
            "number of channels");
  }
};

struct alamos_session {
  alamos_model *model;
  at::Tensor input;
  std::vector<at::Tensor> registers;
  // Moves of a batch by policy index: head[index] is the first, next[] the rest.
  std::vector<int32_t> head, next, owner;
  std::vector<float> hidden;
};

namespace {

at::Tensor convolve(const Conv &c, const at::Tensor &x) {
  bool fused = c.relu && c.add < 0;
  if (!c.packed.isNone()) {
    torch::jit::Stack stack{x, c.packed};
    run_operator()->callBoxed(&stack);
    return stack[0].toTensor();
  }
  auto y = at::conv2d(x, c.weight, c.bias, 1, c.kernel / 2);
  return fused ? y.relu_() : y;
}

template <class T>
T *data(const at::Tensor &t) {
  return static_cast<T *>(t.data_ptr());
}

template <class T>
void trunk(alamos_session &s, int n, const uint64_t *planes) {
  const alamos_model &m = *s.model;
  T *in = data<T>(s.input);
  for (int i = 0; i < n; i++)
    alamos::expand(planes + int64_t(i) * m.planes, m.constant.data(), m.planes,
                   in + int64_t(i) * 64 * m.channels, m.channels);
  s.registers[0] = s.input;
  for (const Conv &c : m.convs) {
    at::Tensor y = convolve(c, s.registers[c.from]);
    if (!y.is_contiguous(at::MemoryFormat::ChannelsLast))
      y = y.contiguous(at::MemoryFormat::ChannelsLast);
    if (c.add >= 0)
      alamos::add(data<T>(y), data<T>(s.registers[c.add]), y.numel(), c.relu);
    s.registers[c.to] = y;
  }
}

// Logits of the listed moves only: 35 rows of the policy layer a position in
// place of all. Moves are taken in the order of their rows, so that a row that
// several positions share is read once.
template <class T>
void policy(alamos_session &s, int n, const T *weight, const int32_t *offsets,
            const int32_t *indices, float *priors) {
  const Policy &p = s.model->policy;
  int64_t features = int64_t(64) * p.channels;
  const T *x = data<T>(s.registers[p.from]);
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
  for (int row = 0; row < p.size; row++)
    for (int j = s.head[row]; j >= 0; j = s.next[j])
      priors[j] = p.bias[row] + alamos::dot(x + s.owner[j] * features,
                                            weight + row * features, features);
  for (int i = 0; i < n; i++)
    alamos::softmax(priors + offsets[i], indices + offsets[i],
                    offsets[i + 1] - offsets[i]);
}

template <class T>
void value(alamos_session &s, int n, float *values) {
  const Value &v = s.model->value;
  const T *x = data<T>(s.registers[v.from]);
  float squares[64];
  s.hidden.resize(v.hidden);
  for (int i = 0; i < n; i++) {
    alamos::squeeze(x + int64_t(i) * 64 * v.channels, v.conv.data(),
                    v.conv_bias, v.channels, squares);
    alamos::dense_relu(squares, v.w1.data(), v.b1.data(), 64, v.hidden,
                       s.hidden.data());
    values[i] = std::tanh(v.b2 + alamos::dot(s.hidden.data(), v.w2.data(), v.hidden));
  }
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

char *alamos_model_new(int batch, int planes, const uint8_t *constant, int half,
                       alamos_model **model) {
  return guard([&] {
    require(batch > 0 && planes > 0, "alamos: a model needs a batch and planes of at least 1");
    require(!half || alamos_has_bf16(), "alamos: this processor has no bfloat16 arithmetic");
    auto m = std::make_unique<alamos_model>();
    m->batch = batch;
    m->planes = planes;
    m->channels = round_up(planes);
    m->constant.assign(constant, constant + planes);
    m->half = half != 0;
    m->width = {m->channels};
    *model = m.release();
  });
}

char *alamos_model_conv(alamos_model *m, int from, int to, int add, int in,
                        int out, int kernel, int relu, const float *weight,
                        const float *bias) {
  return guard([&] {
    c10::InferenceMode mode;
    alamos::set_openmp_threads(1);
    require(kernel == 1 || kernel == 3, "alamos: a convolution must be 1x1 or 3x3");
    auto w = at::from_blob(const_cast<float *>(weight), {out, in, kernel, kernel}, at::kFloat);
    if (from == 0 && in == m->planes && in < m->channels) {
      w = at::constant_pad_nd(w, {0, 0, 0, 0, 0, m->channels - in});
      in = m->channels;
    }
    m->check_register(from, in);
    if (add >= 0) m->check_register(add, out);
    require(to > 0 && to <= int(m->width.size()), "alamos: a step writes a register out of turn");
    if (to == int(m->width.size())) m->width.push_back(out);
    m->width[to] = out;
    Conv c{from, to, add, in, out, kernel, relu != 0, {}, {}, {}};
    // Copies: nothing here may point into the caller's memory.
    c.weight = w.clone(at::MemoryFormat::ChannelsLast).to(m->type());
    c.bias = at::from_blob(const_cast<float *>(bias), {out}, at::kFloat).clone().to(m->type());
    if (prepack_operator() && run_operator()) {
      std::vector<int64_t> one{1, 1}, pad{kernel / 2, kernel / 2};
      std::vector<int64_t> shape{m->batch, in, 8, 8};
      bool fused = relu && add < 0;
      torch::jit::Stack stack{c.weight, c.bias, one, pad, one, int64_t(1), shape,
                              std::string(fused ? "relu" : "none")};
      prepack_operator()->callBoxed(&stack);
      c.packed = stack[0];
    }
    m->convs.push_back(std::move(c));
  });
}

char *alamos_model_policy(alamos_model *m, int from, int channels, int size,
                          const float *weight, const float *bias) {
  return guard([&] {
    m->check_register(from, channels);
    require(size > 0, "alamos: a policy needs at least one move");
    Policy p;
    p.from = from;
    p.channels = channels;
    p.size = size;
    int64_t n = int64_t(size) * 64 * channels;
    if (m->half) {
      p.weight16.resize(n);
      for (int64_t i = 0; i < n; i++) p.weight16[i] = alamos::to_bf16(weight[i]);
    } else {
      p.weight.assign(weight, weight + n);
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
    v.channels = channels;
    v.hidden = hidden;
    v.conv.assign(conv, conv + channels);
    v.conv_bias = conv_bias;
    v.w1.resize(64 * hidden);
    for (int s = 0; s < 64; s++)
      for (int h = 0; h < hidden; h++) v.w1[s * hidden + h] = w1[h * 64 + s];
    v.b1.assign(b1, b1 + hidden);
    v.w2.assign(w2, w2 + hidden);
    v.b2 = b2;
    m->value = std::move(v);
  });
}

void alamos_model_free(alamos_model *m) { delete m; }

char *alamos_session_new(alamos_model *m, alamos_session **session) {
  return guard([&] {
    require(m->policy.from >= 0 && m->value.from >= 0,
            "alamos: a session needs a model with both heads");
    c10::InferenceMode mode;
    auto s = std::make_unique<alamos_session>();
    s->model = m;
    s->input = m->maps(m->channels);
    s->registers.resize(m->width.size());
    *session = s.release();
  });
}

char *alamos_session_run(alamos_session *s, int n, const uint64_t *planes,
                         const int32_t *offsets, const int32_t *indices,
                         float *priors, float *values) {
  return guard([&] {
    c10::InferenceMode mode;
    alamos::set_openmp_threads(1);
    const alamos_model &m = *s->model;
    require(n >= 0 && n <= m.batch, "alamos: more positions than the model's batch");
    if (m.half) {
      trunk<bf16>(*s, n, planes);
      policy<bf16>(*s, n, m.policy.weight16.data(), offsets, indices, priors);
      value<bf16>(*s, n, values);
    } else {
      trunk<float>(*s, n, planes);
      policy<float>(*s, n, m.policy.weight.data(), offsets, indices, priors);
      value<float>(*s, n, values);
    }
  });
}

void alamos_session_free(alamos_session *s) { delete s; }

}  // extern "C"
