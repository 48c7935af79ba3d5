// The training of sparse networks: sums of the rows of a table, and linear layers of which
// only some rows are needed. The loops over numbers are in sparse_kernels.cpp.
#include <torch/csrc/autograd/custom_function.h>

#include <vector>

#include "alamos.h"
#include "guard.h"
#include "sparse.h"
#include "sparse_kernels.h"
#include "tensors.h"

using alamos::Columns;
using alamos::data;
using alamos::guard;
using alamos::require;
using alamos::RowLists;
using alamos::SortedLists;
using alamos::tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

namespace {

at::Tensor integers(const int32_t *x, int64_t n) {
  at::Tensor t = at::empty({n}, at::kInt);
  std::copy_n(x, n, data<int32_t>(t));
  return t;
}

RowLists lists(const at::Tensor &offsets, const at::Tensor &rows) {
  return {offsets.numel() - 1, data<int32_t>(offsets), data<int32_t>(rows)};
}

// The features of both views of each position: list 2i is the view of the side to move.
void find_features(const alamos::SparseShape &shape, int n, const uint64_t *planes, std::vector<int32_t> *offsets,
                   std::vector<int32_t> *rows) {
  uint64_t words[alamos::max_planes];
  offsets->push_back(0);
  for (int i = 0; i < n; i++, planes += shape.planes) {
    bool reflected = shape.reflects(planes);
    for (int other = 0; other < 2; other++) {
      shape.view(planes, other, reflected, words);
      int first = shape.bucket(words) * shape.planes * 64;
      for (int p = 0; p < shape.planes; p++, first += 64)
        for (uint64_t w = words[p]; w; w &= w - 1) rows->push_back(first + __builtin_ctzll(w));
      offsets->push_back(int32_t(rows->size()));
    }
  }
}

// The memory to which backward passes add the gradient of a parameter. Their results for it are
// undefined then.
float *gradient_of(const at::Tensor &parameter) {
  at::Tensor &g = parameter.mutable_grad();
  if (!g.defined()) g = at::zeros(parameter.sizes());
  return data<float>(g);
}

template <class T>
alamos::Pair<T> pair(const at::Tensor &value, const at::Tensor &policy) {
  return {data<T>(value), data<T>(policy)};
}

}  // namespace

struct alamos_late {
  // Lists of rows of a table or a weight, and what their gradients are made of: those of the sums
  // of rows, or those of the products with x.
  struct Record {
    at::Tensor parameter;
    SortedLists lists;
    at::Tensor x, dout;

    // Whether it is for the parameter of a leaf: leaves of all shards share its memory.
    bool is_for(const at::Tensor &leaf) const { return parameter.data_ptr() == leaf.data_ptr(); }

    void add(int columns, int from, int to, float *g) const {
      if (x.defined())
        alamos::weight_gradient(data<float>(x), data<float>(dout), lists, columns, from, to, g);
      else
        alamos::table_gradient(data<float>(dout), lists, columns, from, to, g);
    }
  };
  std::vector<Record> records;
};

namespace {

alamos_late *late_of(AutogradContext *ctx) { return reinterpret_cast<alamos_late *>(ctx->saved_data["late"].toInt()); }

class FeatureSums : public torch::autograd::Function<FeatureSums> {
 public:
  static variable_list forward(AutogradContext *ctx, const at::Tensor &table, const at::Tensor &bias,
                               const at::Tensor &offsets, const at::Tensor &rows, int64_t width, bool squared,
                               alamos_late *late) {
    Columns columns{int(width), int(table.size(1) - width), squared};
    RowLists in = lists(offsets, rows);
    at::Tensor value = at::empty({in.count / 2, 2 * width}), policy = at::empty({in.count / 2, 2 * columns.policy_width});
    alamos::sum_rows(data<float>(table), data<float>(bias), in, columns, pair<float>(value, policy));
    ctx->save_for_backward({value, policy, offsets, rows, table, bias});
    ctx->saved_data["squared"] = squared;
    ctx->saved_data["late"] = reinterpret_cast<int64_t>(late);
    return {value, policy};
  }

  static variable_list backward(AutogradContext *ctx, variable_list grads) {
    auto saved = ctx->get_saved_variables();
    for (int i = 0; i < 2; i++) grads[i] = grads[i].defined() ? grads[i].contiguous() : at::zeros_like(saved[i]);
    Columns columns{int(saved[0].size(1) / 2), int(saved[1].size(1) / 2), ctx->saved_data["squared"].toBool()};
    RowLists in = lists(saved[2], saved[3]);
    at::Tensor dsums = at::empty({in.count, columns.all()});
    alamos::sums_gradient(pair<const float>(saved[0], saved[1]), pair<const float>(grads[0], grads[1]), in.count, columns,
                          data<float>(dsums), gradient_of(saved[5]));
    late_of(ctx)->records.push_back({saved[4], alamos::sorted(in, saved[4].size(0)), {}, dsums});
    return {{}, {}, {}, {}, {}, {}, {}};
  }
};

class Rows : public torch::autograd::Function<Rows> {
 public:
  static at::Tensor forward(AutogradContext *ctx, const at::Tensor &input, const at::Tensor &weight,
                            const at::Tensor &bias, const at::Tensor &offsets, const at::Tensor &rows,
                            alamos_late *late) {
    at::Tensor x = input.contiguous(), out = at::zeros({rows.numel()});
    SortedLists in = alamos::sorted(lists(offsets, rows), weight.size(0));
    alamos::row_products(data<float>(x), data<float>(weight), data<float>(bias), in, int(weight.size(1)), data<float>(out));
    if (!late) return out;
    ctx->save_for_backward({bias});
    ctx->saved_data["late"] = reinterpret_cast<int64_t>(late);
    ctx->saved_data["record"] = int64_t(late->records.size());
    late->records.push_back({weight, std::move(in), x, {}});
    return out;
  }

  static variable_list backward(AutogradContext *ctx, variable_list grads) {
    alamos_late::Record &r = late_of(ctx)->records[ctx->saved_data["record"].toInt()];
    r.dout = grads[0].contiguous();
    at::Tensor dx = at::zeros_like(r.x);
    alamos::features_gradient(data<float>(r.parameter), data<float>(r.dout), r.lists, int(r.parameter.size(1)),
                              data<float>(dx), gradient_of(ctx->get_saved_variables()[0]));
    return {dx, {}, {}, {}, {}, {}};
  }
};

class FewOutputs : public torch::autograd::Function<FewOutputs> {
 public:
  static at::Tensor forward(AutogradContext *ctx, const at::Tensor &input, const at::Tensor &weight,
                            const at::Tensor &bias) {
    at::Tensor x = input.contiguous(), out = at::empty({x.size(0), weight.size(0)});
    alamos::few_products(data<float>(x), data<float>(weight), data<float>(bias), x.size(0), int(x.size(1)),
                         int(weight.size(0)), data<float>(out));
    ctx->save_for_backward({x, weight});
    return out;
  }

  static variable_list backward(AutogradContext *ctx, variable_list grads) {
    auto saved = ctx->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1];
    at::Tensor dout = grads[0].contiguous(), dx = at::empty_like(x), dweight = at::zeros_like(weight),
               dbias = at::zeros({weight.size(0)});
    alamos::few_gradients(data<float>(x), data<float>(weight), data<float>(dout), x.size(0), int(x.size(1)),
                          int(weight.size(0)), data<float>(dx), data<float>(dweight), data<float>(dbias));
    return {dx, dweight, dbias};
  }
};

// Calls f(leaf, records of its parameter) for the leaves that have some.
template <class F>
void each_late(alamos_late *const *lates, int count, void *const *leaves, int leaf_count, F f) {
  for (int i = 0; i < leaf_count; i++) {
    std::vector<const alamos_late::Record *> records;
    for (int j = 0; j < count; j++)
      for (auto &r : lates[j]->records)
        if (r.dout.defined() && r.is_for(tensor(leaves[i]))) records.push_back(&r);
    if (!records.empty()) f(tensor(leaves[i]), records);
  }
}

}  // namespace

alamos_late *alamos_late_new(void) { return new alamos_late; }

void alamos_late_free(alamos_late *late) { delete late; }

char *alamos_late_start(alamos_late *const *lates, int count, void *const *leaves, int leaf_count) {
  return guard([&] {
    each_late(lates, count, leaves, leaf_count, [](const at::Tensor &leaf, auto &) {
      leaf.mutable_grad() = at::empty(leaf.sizes());
    });
  });
}

char *alamos_late_add(alamos_late *const *lates, int count, void *const *leaves, int leaf_count, int shard, int shards) {
  return guard([&] {
    each_late(lates, count, leaves, leaf_count, [&](const at::Tensor &leaf, auto &records) {
      int columns = int(leaf.size(1)), from = columns / 16 * shard / shards * 16, to = columns / 16 * (shard + 1) / shards * 16;
      float *g = data<float>(leaf.grad());
      for (int64_t row = 0; row < leaf.size(0); row++) std::fill(g + row * columns + from, g + row * columns + to, 0.0f);
      for (auto *r : records) r->add(columns, from, to, g);
    });
  });
}

char *alamos_sparse_sums(const alamos_sparse_shape *s, const void *features, const void *bias, int n,
                         const uint64_t *planes, alamos_late *late, void **value, void **policy) {
  return guard([&] {
    alamos::SparseShape shape(*s);
    const at::Tensor &table = tensor(features);
    require(table.dim() == 2 && table.size(0) == int64_t(64) * shape.buckets * shape.planes &&
                table.size(1) == s->width + s->policy_width && s->width % 16 == 0 && s->policy_width % 16 == 0,
            "alamos: the table of a sparse network has another shape");
    std::vector<int32_t> offsets, rows;
    find_features(shape, n, planes, &offsets, &rows);
    auto out = FeatureSums::apply(table, tensor(bias), integers(offsets.data(), offsets.size()),
                                  integers(rows.data(), rows.size()), s->width, s->squared != 0, late);
    *value = new at::Tensor(out[0]);
    *policy = new at::Tensor(out[1]);
  });
}

char *alamos_sparse_few(const void *x, const void *weight, const void *bias, void **out) {
  return guard([&] {
    const at::Tensor &in = tensor(x), &w = tensor(weight);
    require(in.dim() == 2 && w.dim() == 2 && in.size(1) == w.size(1) && w.size(1) % 16 == 0 && w.size(0) % 16 == 0,
            "alamos: want features [N, D] and outputs by 16");
    *out = new at::Tensor(FewOutputs::apply(in, w, tensor(bias)));
  });
}

char *alamos_sparse_bags(const alamos_sparse_shape *s, const void *features, int n, const uint64_t *planes, void **out) {
  return guard([&] {
    std::vector<int32_t> offsets, rows;
    find_features(alamos::SparseShape(*s), n, planes, &offsets, &rows);
    const at::Tensor &table = tensor(features);
    auto place = [&](const std::vector<int32_t> &x) { return integers(x.data(), x.size()).to(table.device()); };
    auto sums = at::embedding_bag(table, place(rows), place(offsets), /*scale_grad_by_freq=*/false, /*mode: sum*/ 0,
                                  /*sparse=*/false, /*per_sample_weights=*/{}, /*include_last_offset=*/true);
    *out = new at::Tensor(std::get<0>(sums));
  });
}

char *alamos_sparse_rows(const void *x, const void *weight, const void *bias, const int32_t *offsets,
                         const int32_t *indices, alamos_late *late, void **out) {
  return guard([&] {
    const at::Tensor &in = tensor(x), &w = tensor(weight);
    require(in.dim() == 2 && w.dim() == 2 && in.size(1) == w.size(1) && w.size(1) % 16 == 0,
            "alamos: want features [N, D] and rows [A, D]");
    int64_t n = in.size(0);
    require(offsets[0] == 0, "alamos: the moves begin at another place");
    for (int32_t k = 0; k < offsets[n]; k++)
      require(indices[k] < w.size(0), "alamos: a policy index is out of range");
    *out = new at::Tensor(Rows::apply(in, w, tensor(bias), integers(offsets, n + 1), integers(indices, offsets[n]), late));
  });
}
