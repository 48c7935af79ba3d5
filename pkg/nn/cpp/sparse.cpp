// Inference with a sparse network: sums of rows of a table, one row for each feature that a
// position has, and small layers after them. It computes with integers, on one thread, a
// position at a time. The memory of a caller keeps the sums of its last positions, and new
// sums are made from the most similar ones.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "alamos.h"
#include "guard.h"
#include "kernels.h"
#include "sparse.h"
#include "vector.h"

// Without fused multiply-adds, which not every processor has.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("fp-contract=off")
#elif defined(__clang__)
#pragma clang fp contract(off)
#endif

#include "mish.h"

using alamos::guard;
using alamos::require;

namespace {

constexpr int max_width = 2 * 4096;    // of the features that a layer reads
constexpr int max_hidden = 16384;      // outputs of a layer
constexpr int max_changes = 32;        // of rows that are added at once
constexpr int remembered = 8;           // sums in a memory: fewer or more were slower in searches
constexpr int max_features = 64;       // of a position, at most: sums do not overflow then
constexpr int unit = 255;              // of the sums, if they cannot become too large with it

// A layer on activations, with weights of 8 bits and a scale for each row.
struct First {
  int in = 0, out = 0;
  std::vector<int8_t> memory;
  const int8_t *weight = nullptr;  // [out][in], aligned
  std::vector<float> scale, bias;

  const int8_t *row(int i) const { return weight + int64_t(i) * in; }

  // one is the activation that stands for 1.
  void set(int inputs, int outputs, const float *w, const float *b, int one) {
    in = inputs;
    out = outputs;
    memory.resize(int64_t(in) * out + 64);
    auto at = (reinterpret_cast<uintptr_t>(memory.data()) + 63) / 64 * 64;
    int8_t *to = reinterpret_cast<int8_t *>(at);
    weight = to;
    bias.assign(b, b + out);
    for (int i = 0; i < out; i++, w += in, to += in) {
      float most = 1e-20f;
      for (int k = 0; k < in; k++) most = std::max(most, std::fabs(w[k]));
      for (int k = 0; k < in; k++) to[k] = int8_t(std::lrintf(w[k] / most * 127));
      scale.push_back(most / float(127 * one));
    }
  }
};

// A layer in single precision: weight [in][padded].
struct Dense {
  int in, padded;
  std::vector<float> weight, bias;
};

struct Head {
  int kind;
  First first;
  std::vector<Dense> rest;
  int units = 0;  // that the next layer reads
  bool whole = false;
};

// A position as one side sees it.
struct View {
  uint64_t words[alamos::max_planes];
  int bucket;
};

struct Answer {
  int moves;
  const int32_t *indices;
  float *priors, *value, *wdl, *left;
  float *logits;  // room for the moves by 16
};

class Memory;
using Run = void(const alamos_sparse &, Memory &, const View *, const Answer &);

}  // namespace

struct alamos_sparse {
  alamos::SparseShape shape;
  uint64_t id;
  int planes, width, policy_width, columns;
  int shift;      // the unit of the sums is 255 >> shift
  bool squared;
  std::vector<int16_t> features, bias;  // [rows][columns], [columns]
  First policy;
  std::vector<Head> heads;
  Run *run;

  // The activation of sums of 1 and more, see activate.
  int one() const {
    int sum = unit >> shift << shift;
    return squared ? (sum * sum + 256) >> 9 : sum >> 1;
  }
};

namespace {

// The sums of a view: words [planes] and numbers [columns] follow.
struct Sums {
  int64_t bucket;

  uint64_t *words() { return reinterpret_cast<uint64_t *>(this + 1); }
  const uint64_t *words() const { return reinterpret_cast<const uint64_t *>(this + 1); }
  int16_t *numbers(const alamos_sparse &m) { return reinterpret_cast<int16_t *>(words() + m.planes); }
  const int16_t *numbers(const alamos_sparse &m) const { return reinterpret_cast<const int16_t *>(words() + m.planes); }
  static int64_t size(const alamos_sparse &m) { return 1 + m.planes + m.columns / 4; }  // in words
};

// What a caller keeps between evaluations, in words of its own: the model's number, the
// number of sums made, and the sums.
class Memory {
 public:
  Memory(const alamos_sparse &m, uint64_t *words) : words_(words) {
    if (words_[0] == m.id) return;
    words_[0] = m.id;
    words_[1] = 0;
    for (int i = 0; i < remembered; i++) place(m, i)->bucket = -1;
  }

  Sums *place(const alamos_sparse &m, int i) { return reinterpret_cast<Sums *>(words_ + 2 + i * Sums::size(m)); }
  Sums *next(const alamos_sparse &m) { return place(m, int(words_[1]++ % remembered)); }
  static int64_t size(const alamos_sparse &m) { return 2 + remembered * Sums::size(m); }

 private:
  uint64_t *words_;
};

typedef int16_t Shorts __attribute__((vector_size(64)));
typedef uint16_t UShorts __attribute__((vector_size(64)));
typedef uint8_t Octets __attribute__((vector_size(32)));

using alamos::exponential;
using alamos::lanes;
using alamos::load;
using alamos::Vector;

ALAMOS_INLINE Shorts shorts(const int16_t *p) {
  Shorts v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

float exponential_of(float x) { return exponential(x < -87 ? -87.0f : x > 87 ? 87.0f : x); }

// Writes what the outputs x of a head become.
void finish(int kind, const float *x, const Answer &a) {
  switch (kind) {
    case ALAMOS_VALUE_TANH:
      *a.value = 1 - 2 / (exponential_of(2 * x[0]) + 1);
      break;
    case ALAMOS_VALUE_LINEAR:
      *a.value = alamos::bounded(x[0]);
      break;
    case ALAMOS_VALUE_WDL: {
      float top = std::max(x[0], std::max(x[1], x[2])), sum = 0;
      for (int k = 0; k < 3; k++) sum += a.wdl[k] = exponential_of(x[k] - top);
      for (int k = 0; k < 3; k++) a.wdl[k] /= sum;
      *a.value = a.wdl[0] - a.wdl[2];
      break;
    }
    case ALAMOS_MOVES_LEFT:
      *a.left = x[0];
      break;
  }
}

namespace plain {
#include "sparse_path.h"
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define ALAMOS_PATHS
#pragma GCC push_options
#pragma GCC target("avx2,popcnt,bmi")
namespace avx2 {
#include "sparse_path.h"
}
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512vnni,avx512vpopcntdq,popcnt,bmi")
namespace avx512 {
#include "sparse_path.h"
}
#pragma GCC pop_options
#endif

// The instruction sets that this processor has, the best one first.
std::vector<Run *> paths() {
  std::vector<Run *> all;
#if defined(ALAMOS_PATHS)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512vpopcntdq"))
    all.push_back(avx512::run);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi"))
    all.push_back(avx2::run);
#endif
  all.push_back(plain::run);
  return all;
}

// A bound on the size of the sums of a network: of each table and column the sum of as many of the
// largest weights of one sign as a position has features.
float highest_sum(const alamos_sparse &m, const float *features, const float *bias) {
  float highest = 0;
  int64_t rows = int64_t(m.planes) * 64;
  std::vector<float> column(rows);
  int most = int(std::min<int64_t>(rows, max_features));
  for (int table = 0; table < m.shape.buckets; table++, features += rows * m.columns)
    for (int c = 0; c < m.columns; c++)
      for (float sign : {1.0f, -1.0f}) {
        for (int64_t r = 0; r < rows; r++) column[r] = std::max(0.0f, sign * features[r * m.columns + c]);
        std::nth_element(column.begin(), column.begin() + most - 1, column.end(), std::greater<float>());
        highest = std::max(highest, std::accumulate(column.begin(), column.begin() + most, std::max(0.0f, sign * bias[c])));
      }
  return highest;
}

View view_of(const alamos_sparse &m, const uint64_t *planes, bool other, bool reflected) {
  View v;
  m.shape.view(planes, other, reflected, v.words);
  v.bucket = m.shape.bucket(v.words);
  return v;
}

}  // namespace

namespace alamos {

SparseShape::SparseShape(const alamos_sparse_shape &s)
    : planes(s.planes), ranks(s.ranks), king(s.king), buckets(s.buckets), mirror(s.mirror != 0),
      constant(s.constant, s.constant + s.planes), swap(s.swap, s.swap + s.planes) {
  require(planes > 0 && planes <= max_planes && ranks > 0 && ranks <= 8 && king >= 0 && king < planes && buckets > 0,
          "alamos: a sparse network has another number of planes or tables");
  for (int p : swap) require(p >= -1 && p < planes, "alamos: a plane is not there");
  for (int i = 0; i < 64; i++) {
    bucket_of[i] = s.bucket_of[i];
    require(bucket_of[i] >= 0 && bucket_of[i] < buckets, "alamos: a table is not there");
  }
}

uint64_t levels(uint64_t word) {
  float x;
  uint32_t bits = uint32_t(word);
  std::memcpy(&x, &bits, sizeof x);
  int level = int(x * 12 + 0.5f);
  return level <= 0 ? 0 : uint64_t(1) << std::min(level, 63);
}

void SparseShape::view(const uint64_t *in, bool other, bool reflected, uint64_t *out) const {
  for (int p = 0; p < planes; p++) {
    if (swap[p] < 0) {
      out[p] = 0;
      continue;
    }
    uint64_t w = in[other ? swap[p] : p];
    if (constant[p]) {
      out[p] = levels(w);
      continue;
    }
    if (other) w = __builtin_bswap64(w) >> 8 * (8 - ranks);  // a byte is a rank
    if (reflected) w = reflect(w);
    out[p] = w;
  }
}

bool SparseShape::reflects(const uint64_t *in) const {
  uint64_t kings = in[king];
  return mirror && kings && (__builtin_ctzll(kings) & 4);
}

}  // namespace alamos

char *alamos_sparse_new(const alamos_sparse_shape *shape, const float *features, const float *bias, int path,
                        alamos_sparse **model) {
  return guard([&] {
    auto m = std::make_unique<alamos_sparse>();
    m->shape = alamos::SparseShape(*shape);
    static std::atomic<uint64_t> models{0};
    m->id = ++models;
    m->planes = shape->planes;
    m->width = shape->width;
    m->policy_width = shape->policy_width;
    m->columns = m->width + m->policy_width;
    m->squared = shape->squared != 0;
    require(m->width > 0 && m->width % 32 == 0 && 2 * m->width <= max_width && m->policy_width % 32 == 0 &&
                2 * m->policy_width <= max_width,
            "alamos: widths of a sparse network must be multiples of 32, up to 4096");
    int64_t rows = int64_t(m->shape.buckets) * m->planes * 64, n = rows * m->columns;
    float highest = highest_sum(*m, features, bias);
    m->shift = 0;
    while (m->shift < 6 && highest * float(unit >> m->shift) > 32000) m->shift++;
    auto rounded = [&](float x) {
      return int16_t(std::lrintf(std::min(32000.0f, std::max(-32000.0f, x * float(unit >> m->shift)))));
    };
    m->features.resize(n);
    std::transform(features, features + n, m->features.begin(), rounded);
    m->bias.resize(m->columns);
    std::transform(bias, bias + m->columns, m->bias.begin(), rounded);
    auto all = paths();
    require(path < int(all.size()), "alamos: this processor has no such instruction set");
    m->run = all[std::max(0, path)];
    *model = m.release();
  });
}

int alamos_sparse_paths(void) { return int(paths().size()); }

char *alamos_sparse_policy(alamos_sparse *m, int size, const float *weight, const float *bias) {
  return guard([&] {
    require(size > 0 && m->policy_width > 0, "alamos: a policy needs moves and features");
    m->policy.set(2 * m->policy_width, size, weight, bias, m->one());
  });
}

char *alamos_sparse_head(alamos_sparse *m, int kind) {
  return guard([&] {
    require(kind >= ALAMOS_VALUE_TANH && kind <= ALAMOS_MOVES_LEFT, "alamos: no such head");
    Head h;
    h.kind = kind;
    h.units = 2 * m->width;
    m->heads.push_back(std::move(h));
  });
}

char *alamos_sparse_dense(alamos_sparse *m, int in, int out, int relu, const float *weight, const float *bias) {
  return guard([&] {
    require(!m->heads.empty() && !m->heads.back().whole, "alamos: a dense layer belongs to a head that is not whole");
    Head &h = m->heads.back();
    require(in == h.units && out > 0 && out <= max_hidden, "alamos: a dense layer reads another number of features");
    h.units = out;
    h.whole = !relu;
    if (h.first.out == 0) {
      h.first.set(in, out, weight, bias, m->one());
      return;
    }
    Dense d{in, (out + lanes - 1) / lanes * lanes, {}, {}};
    d.weight.resize(int64_t(in) * d.padded);
    d.bias.resize(d.padded);
    std::copy_n(bias, out, d.bias.begin());
    for (int o = 0; o < out; o++)
      for (int i = 0; i < in; i++) d.weight[int64_t(i) * d.padded + o] = weight[int64_t(o) * in + i];
    h.rest.push_back(std::move(d));
  });
}

int64_t alamos_sparse_memory(const alamos_sparse *m) { return Memory::size(*m); }

char *alamos_sparse_run(const alamos_sparse *m, uint64_t *memory, int n, const uint64_t *planes,
                        const int32_t *offsets, const int32_t *indices, float *priors, float *values, float *wdl,
                        float *left) {
  return guard([&] {
    Memory kept(*m, memory);
    static thread_local std::vector<float> logits;
    for (int i = 0; i < n; i++, planes += m->planes) {
      int moves = offsets[i + 1] - offsets[i];
      logits.resize(std::max<size_t>(logits.size(), moves + lanes));
      bool reflected = m->shape.reflects(planes);
      View views[2] = {view_of(*m, planes, false, reflected), view_of(*m, planes, true, reflected)};
      m->run(*m, kept, views, {moves, indices + offsets[i], priors + offsets[i], values + i, wdl + 3 * i, left + i,
                                logits.data()});
    }
  });
}

void alamos_sparse_free(alamos_sparse *m) { delete m; }
