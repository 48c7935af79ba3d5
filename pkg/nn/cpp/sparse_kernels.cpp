#include "sparse_kernels.h"

#include <algorithm>
#include <vector>

#include "vector.h"

namespace alamos {

namespace {

constexpr int tile = 8;  // vectors that stay in registers while lists or rows pass by

// The entries of some lists by their rows, each row's in the order of the lists.
class ByRow {
 public:
  explicit ByRow(int64_t rows) : first_(rows + 1) {}

  void sort(const RowLists &lists, int64_t from, int64_t to) {
    std::fill(first_.begin(), first_.end(), 0);
    for (int32_t k = lists.offsets[from]; k < lists.offsets[to]; k++)
      if (lists.rows[k] >= 0) first_[lists.rows[k] + 1]++;
    used_.clear();
    for (size_t r = 0; r + 1 < first_.size(); r++) {
      if (first_[r + 1]) used_.push_back(int32_t(r));
      first_[r + 1] += first_[r];
    }
    next_.assign(first_.begin(), first_.end());
    entries_.resize(first_.back());
    for (int64_t i = from; i < to; i++)
      for (int32_t k = lists.offsets[i]; k < lists.offsets[i + 1]; k++)
        if (lists.rows[k] >= 0) entries_[next_[lists.rows[k]]++] = {int32_t(i - from), k};
  }

  struct Entry {
    int32_t list, place;  // place in the rows of the lists
  };

  const std::vector<int32_t> &used() const { return used_; }
  const Entry *begin(int32_t row) const { return entries_.data() + first_[row]; }
  const Entry *end(int32_t row) const { return entries_.data() + first_[row + 1]; }

 private:
  std::vector<int32_t> first_, next_, used_;
  std::vector<Entry> entries_;
};

// Where the activations of a view begin, for columns from c on.
template <class T>
ALAMOS_INLINE T *place(const Pair<T> &x, int64_t view, int c, const Columns &columns) {
  if (c < columns.width) return x.value + view * columns.width + c;
  return x.policy + view * columns.policy_width + c - columns.width;
}

// Calls f(c, vectors) for the columns in tiles, of which none has columns of both kinds. f is
// called with a constant for whole tiles.
template <class F>
ALAMOS_INLINE void in_tiles(const Columns &columns, F f) {
  int c = 0;
  for (int end : {columns.width, columns.all()}) {
    for (; c + tile * lanes <= end; c += tile * lanes) f(c, std::integral_constant<int, tile>());
    for (; c < end; c += lanes) f(c, std::integral_constant<int, 1>());
  }
}

ALAMOS_INLINE Vector clamped(const Vector &v) {
  Vector x = v < 0 ? Vector{} : v;  // NaN passes
  return x > 1 ? Vector{} + 1.0f : x;
}

}  // namespace

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

ALAMOS_CLONES void sum_rows_gradient(const Pair<const float> &out, const Pair<const float> &dout,
                                     const RowLists &lists, const Columns &columns, int64_t rows, float *dtable,
                                     float *dbias) {
  constexpr int64_t chunk = 256;
  const int count = columns.all();
  const bool squared = columns.squared;
  ByRow by_row(rows);
  std::vector<float> memory(chunk * tile * lanes);
  float *g = memory.data();
  for (int64_t from = 0; from < lists.count; from += chunk) {
    int64_t to = std::min(lists.count, from + chunk);
    by_row.sort(lists, from, to);
    in_tiles(columns, [&](int c, auto wide) ALAMOS_FLAT {
      constexpr int n = decltype(wide)::value;
      Vector sums[n];
      for (int k = 0; k < n; k++) sums[k] = load(dbias + c + lanes * k);
      for (int64_t v = from; v < to; v++) {
        const float *y = place(out, v, c, columns), *dy = place(dout, v, c, columns);
        float *to_v = g + (v - from) * n * lanes;
        // The slope of a square y is 2 sqrt(y).
#pragma GCC ivdep
        for (int i = 0; i < n * lanes; i++) {
          float d = y[i] > 0 ? dy[i] : 0;
          d = y[i] < 1 ? d : 0;
          to_v[i] = squared ? 2 * __builtin_sqrtf(y[i]) * d : d;
        }
        for (int k = 0; k < n; k++) sums[k] += load(to_v + lanes * k);
      }
      for (int k = 0; k < n; k++) store(sums[k], dbias + c + lanes * k);
      for (int32_t row : by_row.used()) {
        float *sum = dtable + int64_t(row) * count + c;
        for (int k = 0; k < n; k++) sums[k] = load(sum + lanes * k);
        for (const ByRow::Entry *e = by_row.begin(row), *end = by_row.end(row); e < end; e++)
          for (int k = 0; k < n; k++) sums[k] += load(g + (int64_t(e->list) * n + k) * lanes);
        for (int k = 0; k < n; k++) store(sums[k], sum + lanes * k);
      }
    });
  }
}

// The positions of a chunk and their features stay in the cache while the rows pass by.
constexpr int64_t positions = 256;

ALAMOS_CLONES void row_products(const float *x, const float *weight, const float *bias, const RowLists &lists,
                                int64_t rows, int d, float *out) {
  ByRow by_row(rows);
  for (int64_t from = 0; from < lists.count; from += positions) {
    int64_t to = std::min(lists.count, from + positions);
    by_row.sort(lists, from, to);
    std::fill(out + lists.offsets[from], out + lists.offsets[to], 0.0f);
    for (int32_t row : by_row.used()) {
      const float *w = weight + int64_t(row) * d;
      for (const ByRow::Entry *e = by_row.begin(row), *end = by_row.end(row); e < end; e++) {
        const float *in = x + (from + e->list) * d;
        Vector sum = {};
        for (int k = 0; k < d; k += lanes) sum += load(in + k) * load(w + k);
        float acc[lanes];
        store(sum, acc);
        out[e->place] = reduce(acc) + bias[row];
      }
    }
  }
}

ALAMOS_CLONES void row_products_gradient(const float *x, const float *weight, const float *dout,
                                         const RowLists &lists, int64_t rows, int d, float *dx, float *dweight,
                                         float *dbias) {
  ByRow by_row(rows);
  const Columns columns{d, 0, false};
  for (int64_t from = 0; from < lists.count; from += positions) {
    int64_t to = std::min(lists.count, from + positions);
    by_row.sort(lists, from, to);
    for (int32_t row : by_row.used()) {
      for (const ByRow::Entry *e = by_row.begin(row), *end = by_row.end(row); e < end; e++) dbias[row] += dout[e->place];
      in_tiles(columns, [&](int c, auto wide) ALAMOS_FLAT {
        constexpr int n = decltype(wide)::value;
        const float *from_w = weight + int64_t(row) * d + c;
        float *to_w = dweight + int64_t(row) * d + c;
        Vector w[n], dw[n];
        for (int k = 0; k < n; k++) w[k] = load(from_w + lanes * k), dw[k] = load(to_w + lanes * k);
        for (const ByRow::Entry *e = by_row.begin(row), *end = by_row.end(row); e < end; e++) {
          const float g = dout[e->place], *in = x + (from + e->list) * d + c;
          float *to_x = dx + (from + e->list) * d + c;
          for (int k = 0; k < n; k++) {
            dw[k] += g * load(in + lanes * k);
            store(load(to_x + lanes * k) + g * w[k], to_x + lanes * k);
          }
        }
        for (int k = 0; k < n; k++) store(dw[k], to_w + lanes * k);
      });
    }
  }
}

}  // namespace alamos
