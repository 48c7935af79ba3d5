// The C interface of evaluators: checks what it is given, and what is the same
// wherever a model runs.
#include "model.h"

#include <algorithm>
#include <cmath>

#include "guard.h"
#include "kernels.h"
#include "memory.h"
#include "threads.h"

using alamos::guard;
using alamos::require;

namespace alamos {

namespace {

// Win, draw and loss of their logits.
void softmax3(const float *x, float *wdl) {
  float top = std::max(x[0], std::max(x[1], x[2])), sum = 0;
  for (int k = 0; k < 3; k++) sum += wdl[k] = std::exp(x[k] - top);
  for (int k = 0; k < 3; k++) wdl[k] /= sum;
}

}  // namespace

// NaN passes.
void finish(int kind, int first, int n, const float *x, const Batch &b) {
  for (int i = 0; i < n; i++) {
    float *value = b.values + first + i, *wdl = b.wdl + 3 * (first + i);
    switch (kind) {
      case ALAMOS_VALUE_TANH:
        *value = std::tanh(x[i]);
        break;
      case ALAMOS_VALUE_LINEAR:
        *value = x[i] < -1 ? -1 : x[i] > 1 ? 1 : x[i];
        break;
      case ALAMOS_VALUE_WDL:
        softmax3(x + 3 * i, wdl);
        *value = wdl[0] - wdl[2];
        break;
      case ALAMOS_MOVES_LEFT:
        b.left[first + i] = x[i];
        break;
    }
  }
}

void normalize_priors(const Batch &b) {
  for (int i = 0; i < b.n; i++)
    softmax(b.priors + b.offsets[i], b.indices + b.offsets[i], b.moves(i));
}

}  // namespace alamos

std::vector<int> alamos_model::last_reads() const {
  int steps = int(wiring.size());
  std::vector<int> last(width.size(), -1);
  for (int k = 0; k < steps; k++) {
    last[wiring[k].from] = k;
    if (wiring[k].add >= 0) last[wiring[k].add] = k;
  }
  if (policy_from >= 0) last[policy_from] = steps;
  for (auto &h : heads) last[h.from] = steps;
  return last;
}

namespace {

alamos_activation activation(int act) {
  require(act >= ALAMOS_IDENTITY && act <= ALAMOS_MISH, "alamos: no such activation");
  return static_cast<alamos_activation>(act);
}

void check_register(const alamos_model &m, int from, int channels) {
  require(from >= 0 && from < int(m.width.size()) && m.width[from] == channels,
          "alamos: a step reads a register that is not there or has another "
          "number of channels");
}

// Counts a step and its register, of so many channels, and tells which that is.
int next_register(alamos_model &m, alamos::Wiring at, int channels) {
  m.wiring.push_back(at);
  m.width.push_back(channels);
  return int(m.width.size()) - 1;
}

void check_policy(alamos_model &m, int from, int channels, int count) {
  check_register(m, from, channels);
  require(count > 0, "alamos: a policy needs at least one move");
  require(m.policy_from < 0, "alamos: a model has one policy");
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
                       int libtorch, const char *device, alamos_model **model) {
  return guard([&] {
    require(block > 0 && planes > 0, "alamos: a model needs a block and planes of at least 1");
    alamos::Setting s{block, planes, {constant, constant + planes}, half != 0};
    if (device) {
      *model = alamos::device_model(std::move(s), device).release();
      return;
    }
    require(!half || alamos_has_bf16(), "alamos: this processor has no bfloat16 arithmetic");
    *model = alamos::processor_model(std::move(s), libtorch != 0).release();
  });
}

char *alamos_model_conv(alamos_model *m, int from, int add, int in, int out,
                        int kernel, int act, const float *weight,
                        const float *bias, int *to) {
  return guard([&] {
    require(kernel == 1 || kernel == 3, "alamos: a convolution must be 1x1 or 3x3");
    check_register(*m, from, in);
    if (add >= 0) check_register(*m, add, out);
    alamos::set_openmp_threads(1);
    m->conv(in, out, kernel, add >= 0, activation(act), weight, bias);
    *to = next_register(*m, {from, add}, out);
  });
}

char *alamos_model_scale(alamos_model *m, int from, int channels, int act,
                         const float *scale, const float *shift, int *to) {
  return guard([&] {
    check_register(*m, from, channels);
    m->scale(channels, activation(act), scale, shift);
    *to = next_register(*m, {from, -1}, channels);
  });
}

char *alamos_model_attention(alamos_model *m, int from, int add, int channels,
                             int hidden, int act, const float *w1,
                             const float *w2, const float *spatial, int *to) {
  return guard([&] {
    check_register(*m, from, channels);
    if (add >= 0) check_register(*m, add, channels);
    require(hidden > 0, "alamos: attention needs hidden features");
    m->attention(channels, hidden, add >= 0, activation(act), w1, w2, spatial);
    *to = next_register(*m, {from, add}, channels);
  });
}

char *alamos_model_policy(alamos_model *m, int from, int channels, int size,
                          const float *weight, const float *bias) {
  return guard([&] {
    check_policy(*m, from, channels, size);
    m->policy(channels, size, weight, bias);
    m->policy_from = from;
    m->policy_size = size;
  });
}

char *alamos_model_policy_maps(alamos_model *m, int from, int channels,
                               int maps, const float *weight, const float *bias) {
  return guard([&] {
    check_policy(*m, from, channels, maps);
    m->policy_maps(channels, maps, weight, bias);
    m->policy_from = from;
    m->policy_size = 64 * maps;
  });
}

char *alamos_model_head(alamos_model *m, int kind, int from, int channels,
                        const float *conv, float conv_bias) {
  return guard([&] {
    check_register(*m, from, channels);
    require(kind >= ALAMOS_VALUE_TANH && kind <= ALAMOS_MOVES_LEFT, "alamos: no such head");
    m->head(channels, conv, conv_bias);
    m->heads.push_back({kind, from, conv ? 64 : 64 * channels, false});
  });
}

char *alamos_model_dense(alamos_model *m, int in, int out, int relu,
                         const float *weight, const float *bias) {
  return guard([&] {
    require(!m->heads.empty() && !m->heads.back().whole,
            "alamos: a dense layer belongs to a head that is not whole");
    auto &h = m->heads.back();
    require(in == h.units && out > 0, "alamos: a dense layer reads another number of features");
    if (relu) {
      m->hidden(in, out, weight, bias);
      h.units = out;
      return;
    }
    require(out == (h.kind == ALAMOS_VALUE_WDL ? 3 : 1), "alamos: a head has another number of outputs");
    m->output(in, out, weight, bias);
    h.whole = true;
  });
}

void alamos_model_free(alamos_model *m) { delete m; }

char *alamos_session_new(const alamos_model *m, alamos_session **session) {
  return guard([&] {
    int values = 0, whole = 0;
    for (auto &h : m->heads) {
      values += h.kind != ALAMOS_MOVES_LEFT;
      whole += h.whole;
    }
    require(values == 1 && whole == int(m->heads.size()),
            "alamos: a session needs a model with one value head, and heads that are whole");
    alamos::set_openmp_threads(1);
    *session = m->session().release();
  });
}

char *alamos_session_run(alamos_session *s, int n, const uint64_t *planes,
                         const int32_t *offsets, const int32_t *indices,
                         float *priors, float *values, float *wdl, float *left) {
  return guard([&] {
    require(n >= 0, "alamos: a negative number of positions");
    alamos::set_openmp_threads(1);
    s->run({n, planes, offsets, indices, priors, values, wdl, left});
  });
}

void alamos_session_free(alamos_session *s) { delete s; }

}  // extern "C"
