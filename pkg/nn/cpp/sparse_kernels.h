// The arithmetic of training sparse networks, on plain arrays.
#pragma once

#include <cstdint>

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

// Activations of the sums of table[rows][columns] over each list, plus bias[columns].
void sum_rows(const float *table, const float *bias, const RowLists &lists, const Columns &columns,
              const Pair<float> &out);

// Adds the gradients of the table and of the bias to dtable and dbias.
void sum_rows_gradient(const Pair<const float> &out, const Pair<const float> &dout, const RowLists &lists,
                       const Columns &columns, int64_t rows, float *dtable, float *dbias);

// out[k] = x[i] . weight[rows[k]] + bias[rows[k]] for each entry k of list i, of d features
// by 16; 0 without a row. There are so many rows.
void row_products(const float *x, const float *weight, const float *bias, const RowLists &lists, int64_t rows,
                  int d, float *out);

// Adds the gradients: dx is [lists][d].
void row_products_gradient(const float *x, const float *weight, const float *dout, const RowLists &lists,
                           int64_t rows, int d, float *dx, float *dweight, float *dbias);

}  // namespace alamos
