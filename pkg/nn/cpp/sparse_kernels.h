// The arithmetic of training sparse networks, on plain arrays.
#pragma once

#include <cstdint>
#include <vector>

namespace alamos {

// Lists of rows: list i is rows[offsets[i]] up to rows[offsets[i+1]]. Rows below 0 are none.
struct RowLists {
  int64_t count;
  const int32_t *offsets, *rows;
};

// The columns of a table, by 16: those for the value and then those for the policy.
struct Columns {
  int width, policy_width;
  bool squared;  // activations clamp(x, 0, 1)^2, otherwise clamp(x, 0, 1)

  int all() const { return width + policy_width; }
};

// Numbers for the value [lists][width] and for the policy [lists][policy_width].
template <class T>
struct Pair {
  T *value, *policy;
};

// The entries of some lists by their rows, each row's in the order of the lists.
class ByRow {
 public:
  ByRow(const RowLists &lists, int64_t from, int64_t to, int64_t rows);

  struct Entry {
    int32_t list, place;  // in all lists and in all rows of them
  };

  int64_t from, to;  // the lists

  const std::vector<int32_t> &used() const { return used_; }
  const Entry *begin(int32_t row) const { return entries_.data() + first_[row]; }
  const Entry *end(int32_t row) const { return entries_.data() + first_[row + 1]; }

 private:
  std::vector<int32_t> first_, used_;
  std::vector<Entry> entries_;
};

// Lists by 256: what belongs to so many stays in the cache while the rows pass by.
using SortedLists = std::vector<ByRow>;
SortedLists sorted(const RowLists &lists, int64_t rows);

// Activations of the sums of table[rows][columns] over each list, plus bias[columns].
void sum_rows(const float *table, const float *bias, const RowLists &lists, const Columns &columns,
              const Pair<float> &out);

// The gradients dsums[lists][columns] of the sums. Adds that of the bias to dbias.
void sums_gradient(const Pair<const float> &out, const Pair<const float> &dout, int64_t count, const Columns &columns,
                   float *dsums, float *dbias);

// Adds dsums to the rows of each list in dtable[rows][columns], for columns from up to to, by 16.
void table_gradient(const float *dsums, const SortedLists &lists, int columns, int from, int to, float *dtable);

// out[k] = x[i] . weight[rows[k]] + bias[rows[k]] for each entry k of list i, of d features
// by 16; out is 0 before.
void row_products(const float *x, const float *weight, const float *bias, const SortedLists &lists, int d, float *out);

// Adds the gradients of x and of the bias.
void features_gradient(const float *weight, const float *dout, const SortedLists &lists, int d, float *dx, float *dbias);

// Adds the gradient of features from up to to of the weight, by 16.
void weight_gradient(const float *x, const float *dout, const SortedLists &lists, int d, int from, int to, float *dweight);

// out[n][outs] = x[n][d] weight' + bias, of weight[outs][d]. d and the number of outputs, which are
// few, go by 16.
void few_products(const float *x, const float *weight, const float *bias, int64_t n, int d, int outs, float *out);

// The gradient of x. Those of the weight and of the bias are added.
void few_gradients(const float *x, const float *weight, const float *dout, int64_t n, int d, int outs, float *dx,
                   float *dweight, float *dbias);

}  // namespace alamos
