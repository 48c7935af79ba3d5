#include "sparse_kernels.h"

#include <algorithm>
#include <vector>

#include "vector.h"

namespace alamos {

namespace {

constexpr int tile = 8;  // vectors that stay in registers while lists or rows pass by

// Where the activations of a view begin, for columns from c on.
template <class T>
ALAMOS_INLINE T *place(const Pair<T> &x, int64_t view, int c, const Columns &columns) {
  if (c < columns.width) return x.value + view * columns.width + c;
  return x.policy + view * columns.policy_width + c - columns.width;
}

// Calls f(c, vectors) for the columns in tiles. f is called with a constant for whole tiles.
template <class F>
ALAMOS_INLINE void in_tiles(int from, int to, F f) {
  int c = from;
  for (; c + tile * lanes <= to; c += tile * lanes) f(c, std::integral_constant<int, tile>());
  for (; c < to; c += lanes) f(c, std::integral_constant<int, 1>());
}

// So in tiles of which none has columns of both kinds.
template <class F>
ALAMOS_INLINE void in_tiles(const Columns &columns, F f) {
  in_tiles(0, columns.width, f);
  in_tiles(columns.width, columns.all(), f);
}

ALAMOS_INLINE Vector clamped(const Vector &v) {
  Vector x = v < 0 ? Vector{} : v;  // NaN passes
  return x > 1 ? Vector{} + 1.0f : x;
}

constexpr int64_t chunk = 256;  // lists that are sorted together

}  // namespace

ByRow::ByRow(const RowLists &lists, int64_t from, int64_t to, int64_t rows) : from(from), to(to), first_(rows + 1) {
  for (int32_t k = lists.offsets[from]; k < lists.offsets[to]; k++)
    if (lists.rows[k] >= 0) first_[lists.rows[k] + 1]++;
  for (int64_t r = 0; r < rows; r++) {
    if (first_[r + 1]) used_.push_back(int32_t(r));
    first_[r + 1] += first_[r];
  }
  std::vector<int32_t> next(first_);
  entries_.resize(first_.back());
  for (int64_t i = from; i < to; i++)
    for (int32_t k = lists.offsets[i]; k < lists.offsets[i + 1]; k++)
      if (lists.rows[k] >= 0) entries_[next[lists.rows[k]]++] = {int32_t(i), k};
}

SortedLists sorted(const RowLists &lists, int64_t rows) {
  SortedLists all;
  for (int64_t from = 0; from < lists.count; from += chunk)
    all.emplace_back(lists, from, std::min(lists.count, from + chunk), rows);
  return all;
}

ALAMOS_CLONES void sum_rows(const float *table, const float *bias, const RowLists &lists, const Columns &columns,
                            const Pair<float> &out) {
  const int count = columns.all();
  const bool squared = columns.squared;
  in_tiles(columns, [&](int c, auto wide) ALAMOS_FLAT {
    constexpr int n = decltype(wide)::value;
    for (int64_t v = 0; v < lists.count; v++) {
      Vector sums[n];
      for (int k = 0; k < n; k++) sums[k] = load(bias + c + lanes * k);
      for (int32_t e = lists.offsets[v]; e < lists.offsets[v + 1]; e++) {
        const float *row = table + int64_t(lists.rows[e]) * count + c;
        for (int k = 0; k < n; k++) sums[k] += load(row + lanes * k);
      }
      float *to = place(out, v, c, columns);
      for (int k = 0; k < n; k++) {
        Vector y = clamped(sums[k]);
        if (squared) y *= y;
        store(y, to + lanes * k);
      }
    }
  });
}

ALAMOS_CLONES void sums_gradient(const Pair<const float> &out, const Pair<const float> &dout, int64_t count,
                                 const Columns &columns, float *dsums, float *dbias) {
  const int all = columns.all();
  const bool squared = columns.squared;
  for (int64_t v = 0; v < count; v++) {
    auto slopes = [&](int c, int end) ALAMOS_FLAT {
      const float *y = place(out, v, c, columns), *dy = place(dout, v, c, columns);
      float *to = dsums + v * all + c, *sum = dbias + c;
      // The slope of a square y is 2 sqrt(y).
#pragma GCC ivdep
      for (int i = 0; i < end - c; i++) {
        float d = y[i] > 0 ? dy[i] : 0;
        d = y[i] < 1 ? d : 0;
        d = squared ? 2 * __builtin_sqrtf(y[i]) * d : d;
        to[i] = d;
        sum[i] += d;
      }
    };
    slopes(0, columns.width);
    slopes(columns.width, all);
  }
}

ALAMOS_CLONES void table_gradient(const float *dsums, const SortedLists &lists, int columns, int from, int to,
                                  float *dtable) {
  std::vector<float> memory(chunk * tile * lanes);
  float *g = memory.data();
  for (const ByRow &some : lists) {
    in_tiles(from, to, [&](int c, auto wide) ALAMOS_FLAT {
      constexpr int n = decltype(wide)::value;
      for (int64_t v = some.from; v < some.to; v++)
        for (int k = 0; k < n; k++)
          store(load(dsums + v * columns + c + lanes * k), g + ((v - some.from) * n + k) * lanes);
      Vector sums[n];
      for (int32_t row : some.used()) {
        float *sum = dtable + int64_t(row) * columns + c;
        for (int k = 0; k < n; k++) sums[k] = load(sum + lanes * k);
        for (const ByRow::Entry *e = some.begin(row), *end = some.end(row); e < end; e++)
          for (int k = 0; k < n; k++) sums[k] += load(g + ((e->list - some.from) * n + k) * lanes);
        for (int k = 0; k < n; k++) store(sums[k], sum + lanes * k);
      }
    });
  }
}

ALAMOS_CLONES void row_products(const float *x, const float *weight, const float *bias, const SortedLists &lists, int d,
                                float *out) {
  for (const ByRow &some : lists) {
    for (int32_t row : some.used()) {
      const float *w = weight + int64_t(row) * d;
      for (const ByRow::Entry *e = some.begin(row), *end = some.end(row); e < end; e++) {
        const float *in = x + int64_t(e->list) * d;
        Vector sum = {};
        for (int k = 0; k < d; k += lanes) sum += load(in + k) * load(w + k);
        float acc[lanes];
        store(sum, acc);
        out[e->place] = reduce(acc) + bias[row];
      }
    }
  }
}

ALAMOS_CLONES void features_gradient(const float *weight, const float *dout, const SortedLists &lists, int d, float *dx,
                                     float *dbias) {
  for (const ByRow &some : lists) {
    for (int32_t row : some.used()) {
      for (const ByRow::Entry *e = some.begin(row), *end = some.end(row); e < end; e++) dbias[row] += dout[e->place];
      in_tiles(0, d, [&](int c, auto wide) ALAMOS_FLAT {
        constexpr int n = decltype(wide)::value;
        Vector w[n];
        for (int k = 0; k < n; k++) w[k] = load(weight + int64_t(row) * d + c + lanes * k);
        for (const ByRow::Entry *e = some.begin(row), *end = some.end(row); e < end; e++) {
          const float g = dout[e->place];
          float *to = dx + int64_t(e->list) * d + c;
          for (int k = 0; k < n; k++) store(load(to + lanes * k) + g * w[k], to + lanes * k);
        }
      });
    }
  }
}

ALAMOS_CLONES void weight_gradient(const float *x, const float *dout, const SortedLists &lists, int d, int from, int to,
                                   float *dweight) {
  for (const ByRow &some : lists) {
    for (int32_t row : some.used()) {
      in_tiles(from, to, [&](int c, auto wide) ALAMOS_FLAT {
        constexpr int n = decltype(wide)::value;
        float *sum = dweight + int64_t(row) * d + c;
        Vector dw[n];
        for (int k = 0; k < n; k++) dw[k] = load(sum + lanes * k);
        for (const ByRow::Entry *e = some.begin(row), *end = some.end(row); e < end; e++) {
          const float g = dout[e->place], *in = x + int64_t(e->list) * d + c;
          for (int k = 0; k < n; k++) dw[k] += g * load(in + lanes * k);
        }
        for (int k = 0; k < n; k++) store(dw[k], sum + lanes * k);
      });
    }
  }
}

ALAMOS_CLONES void few_products(const float *x, const float *weight, const float *bias, int64_t n, int d, int outs,
                                float *out) {
  std::vector<float> memory(int64_t(d) * outs);  // the weight by features
  float *w = memory.data();
  for (int o = 0; o < outs; o++)
    for (int k = 0; k < d; k++) w[k * outs + o] = weight[int64_t(o) * d + k];
  auto rows = [&](int64_t i, auto some) ALAMOS_FLAT {
    constexpr int count = decltype(some)::value;
    for (int o = 0; o < outs; o += lanes) {
      Vector sums[count];
      for (int r = 0; r < count; r++) sums[r] = load(bias + o);
      for (int k = 0; k < d; k++) {
        Vector column = load(w + k * outs + o);
        for (int r = 0; r < count; r++) sums[r] += x[(i + r) * d + k] * column;
      }
      for (int r = 0; r < count; r++) store(sums[r], out + (i + r) * outs + o);
    }
  };
  int64_t i = 0;
  for (; i + tile <= n; i += tile) rows(i, std::integral_constant<int, tile>());
  for (; i < n; i++) rows(i, std::integral_constant<int, 1>());
}

ALAMOS_CLONES void few_gradients(const float *x, const float *weight, const float *dout, int64_t n, int d, int outs,
                                 float *dx, float *dweight, float *dbias) {
  constexpr int64_t rows = 64;  // that stay in the cache while the outputs pass by
  for (int64_t from = 0; from < n; from += rows) {
    const int64_t to = std::min(n, from + rows);
    for (int64_t i = from; i < to; i++)
      for (int o = 0; o < outs; o++) dbias[o] += dout[i * outs + o];
    in_tiles(0, d, [&](int c, auto wide) ALAMOS_FLAT {
      constexpr int count = decltype(wide)::value;
      for (int64_t i = from; i < to; i++) {
        Vector sums[count] = {};
        for (int o = 0; o < outs; o++) {
          const float g = dout[i * outs + o], *w = weight + int64_t(o) * d + c;
          for (int k = 0; k < count; k++) sums[k] += g * load(w + lanes * k);
        }
        for (int k = 0; k < count; k++) store(sums[k], dx + i * d + c + lanes * k);
      }
      for (int o = 0; o < outs; o++) {
        float *sum = dweight + int64_t(o) * d + c;
        Vector dw[count];
        for (int k = 0; k < count; k++) dw[k] = load(sum + lanes * k);
        for (int64_t i = from; i < to; i++) {
          const float g = dout[i * outs + o], *in = x + i * d + c;
          for (int k = 0; k < count; k++) dw[k] += g * load(in + lanes * k);
        }
        for (int k = 0; k < count; k++) store(dw[k], sum + lanes * k);
      }
    });
  }
}

}  // namespace alamos
