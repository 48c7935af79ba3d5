// The operations of training: what they do to tensors. The loops over numbers
// are in norm.cpp and maps.cpp.
#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cmath>

#include "alamos.h"
#include "barrier.h"
#include "guard.h"
#include "kernels.h"
#include "maps.h"
#include "norm.h"
#include "tensors.h"

using alamos::bf16;
using alamos::data;
using alamos::guard;
using alamos::require;
using alamos::tensor;
using alamos::typed;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

namespace {

// maps is x [N, C, 8, 8] with channels last in memory, as the loops read it.
at::Tensor maps(const at::Tensor &x) {
  return x.contiguous(at::MemoryFormat::ChannelsLast);
}

// normalize is the forward pass of a norm whose statistics are known.
at::Tensor normalize(const at::Tensor &x, const at::Tensor &scale,
                     const at::Tensor &shift, const at::Tensor &add,
                     alamos_activation act) {
  int64_t channels = x.size(1);
  at::Tensor y = at::empty_like(x);
  typed(x, [&](auto *t) {
    using T = std::remove_pointer_t<decltype(t)>;
    alamos::norm_apply(data<T>(x), x.numel() / channels, int(channels),
                       data<float>(scale), data<float>(shift), data<T>(add),
                       act, data<T>(y));
  });
  return y;
}

class Norm : public torch::autograd::Function<Norm> {
 public:
  static at::Tensor forward(AutogradContext *ctx, const at::Tensor &input,
                            const at::Tensor &gamma, const at::Tensor &beta,
                            const c10::optional<at::Tensor> &plus,
                            alamos_activation act, float *running_mean,
                            float *running_var, alamos_barrier *barrier,
                            int shard, double momentum, double epsilon) {
    at::Tensor x = maps(input), add = plus ? maps(*plus) : at::Tensor();
    int channels = int(x.size(1));
    int64_t rows = x.numel() / channels;

    // The sums of the batch, and how many numbers they are of. They are taken
    // about the old running mean: shard 0 changes it after the barrier.
    std::vector<float> about(running_mean, running_mean + channels);
    std::vector<double> sums(2 * channels + 1);
    sums[2 * channels] = double(rows);
    typed(x, [&](auto *t) {
      using T = std::remove_pointer_t<decltype(t)>;
      alamos::norm_sums(data<T>(x), rows, channels, about.data(), sums.data(),
                        sums.data() + channels);
    });
    barrier->sum(shard, sums);

    double count = sums[2 * channels];
    at::Tensor mean = at::empty({channels}), inverse = at::empty({channels});
    at::Tensor scale = at::empty({channels}), shift = at::empty({channels});
    for (int c = 0; c < channels; c++) {
      double d = sums[c] / count, m = about[c] + d;
      double var = std::max(0.0, sums[channels + c] / count - d * d);
      double inv = 1 / std::sqrt(var + epsilon);
      double s = data<float>(gamma)[c] * inv;
      data<float>(mean)[c] = float(m);
      data<float>(inverse)[c] = float(inv);
      data<float>(scale)[c] = float(s);
      data<float>(shift)[c] = float(data<float>(beta)[c] - m * s);
      if (shard == 0) {
        // The running variance is that of the population, as PyTorch's.
        double population = var * count / std::max(1.0, count - 1);
        running_mean[c] = float((1 - momentum) * about[c] + momentum * m);
        running_var[c] = float((1 - momentum) * running_var[c] + momentum * population);
      }
    }
    at::Tensor y = normalize(x, scale, shift, add, act);
    // What the slope of the activation is taken from.
    bool relu = act == ALAMOS_RELU, smooth = act == ALAMOS_MISH;
    at::Tensor no;
    ctx->save_for_backward({x, gamma, mean, inverse, relu ? y : no, smooth ? scale : no,
                            smooth ? shift : no, smooth ? add : no});
    ctx->saved_data["act"] = int64_t(act);
    ctx->saved_data["barrier"] = reinterpret_cast<int64_t>(barrier);
    ctx->saved_data["shard"] = int64_t(shard);
    ctx->saved_data["count"] = count;
    ctx->saved_data["adds"] = add.defined();
    return y;
  }

  // With xhat = (x - mean) inverse and means over the batch,
  // dx = gamma inverse (g - mean(g) - xhat mean(g xhat)).
  static variable_list backward(AutogradContext *ctx, variable_list out) {
    auto saved = ctx->get_saved_variables();
    const at::Tensor &x = saved[0];
    const float *gamma = data<float>(saved[1]), *mean = data<float>(saved[2]);
    const float *inverse = data<float>(saved[3]);
    auto act = static_cast<alamos_activation>(ctx->saved_data["act"].toInt());
    auto *barrier = reinterpret_cast<alamos_barrier *>(ctx->saved_data["barrier"].toInt());
    double count = ctx->saved_data["count"].toDouble();
    int channels = int(x.size(1));
    int64_t rows = x.numel() / channels;

    at::Tensor dy = maps(out[0].to(x.scalar_type())), g = at::empty_like(x);
    std::vector<double> sums(2 * channels);
    typed(x, [&](auto *t) {
      using T = std::remove_pointer_t<decltype(t)>;
      alamos::norm_gradient_sums(data<T>(dy), data<T>(saved[4]), data<T>(x), data<T>(saved[7]),
                                 rows, channels, mean, data<float>(saved[5]),
                                 data<float>(saved[6]), act, data<T>(g), sums.data(),
                                 sums.data() + channels);
    });
    // Each shard has its own share of these two.
    at::Tensor dgamma = at::empty({channels}), dbeta = at::empty({channels});
    for (int c = 0; c < channels; c++) {
      data<float>(dgamma)[c] = float(sums[channels + c] * inverse[c]);
      data<float>(dbeta)[c] = float(sums[c]);
    }
    barrier->sum(int(ctx->saved_data["shard"].toInt()), sums);

    std::vector<float> a(channels), b(channels), d(channels);
    for (int c = 0; c < channels; c++) {
      double inv = inverse[c], s = gamma[c] * inv;
      double slope = -s * inv * inv * sums[channels + c] / count;
      a[c] = float(s);
      b[c] = float(slope);
      d[c] = float(-s * sums[c] / count - slope * mean[c]);
    }
    bool adds = ctx->saved_data["adds"].toBool();
    at::Tensor dx = adds ? at::empty_like(x) : g;
    typed(x, [&](auto *t) {
      using T = std::remove_pointer_t<decltype(t)>;
      alamos::norm_gradient(data<T>(g), data<T>(x), rows, channels, a.data(),
                            b.data(), d.data(), data<T>(dx));
    });
    return {dx, dgamma, dbeta, adds ? g : at::Tensor(), {}, {}, {}, {}, {}, {}, {}};
  }
};

// Pool is the means [N, C] over the squares, float32.
class Pool : public torch::autograd::Function<Pool> {
 public:
  static at::Tensor forward(AutogradContext *ctx, const at::Tensor &input) {
    at::Tensor x = maps(input), mean = at::empty({x.size(0), x.size(1)});
    typed(x, [&](auto *t) {
      using T = std::remove_pointer_t<decltype(t)>;
      alamos::pool(data<T>(x), data<float>(mean), x.size(0), int(x.size(1)));
    });
    ctx->saved_data["half"] = x.scalar_type() == at::kBFloat16;
    return mean;
  }

  static variable_list backward(AutogradContext *ctx, variable_list out) {
    at::Tensor dmean = out[0].contiguous();
    auto type = ctx->saved_data["half"].toBool() ? at::kBFloat16 : at::kFloat;
    at::Tensor dx = at::empty({dmean.size(0), dmean.size(1), 8, 8}, type, at::MemoryFormat::ChannelsLast);
    typed(dx, [&](auto *t) {
      using T = std::remove_pointer_t<decltype(t)>;
      alamos::pool_gradient(data<float>(dmean), data<T>(dx), dx.size(0), int(dx.size(1)));
    });
    return {dx};
  }
};

// Gate multiplies each channel of each position by a gate.
class Gate : public torch::autograd::Function<Gate> {
 public:
  static at::Tensor forward(AutogradContext *ctx, const at::Tensor &input, const at::Tensor &gates) {
    at::Tensor x = maps(input), g = gates.contiguous(), y = at::empty_like(x);
    typed(x, [&](auto *t) {
      using T = std::remove_pointer_t<decltype(t)>;
      alamos::gate(data<T>(x), data<float>(g), data<T>(y), x.size(0), int(x.size(1)));
    });
    ctx->save_for_backward({x, g});
    return y;
  }

  static variable_list backward(AutogradContext *ctx, variable_list out) {
    auto saved = ctx->get_saved_variables();
    const at::Tensor &x = saved[0], &g = saved[1];
    at::Tensor dy = maps(out[0].to(x.scalar_type())), dx = at::empty_like(x), dg = at::empty_like(g);
    typed(x, [&](auto *t) {
      using T = std::remove_pointer_t<decltype(t)>;
      alamos::gate_gradient(data<T>(dy), data<T>(x), data<float>(g), data<T>(dx),
                            data<float>(dg), x.size(0), int(x.size(1)));
    });
    return {dx, dg};
  }
};

// Add is act(x + y).
class Add : public torch::autograd::Function<Add> {
 public:
  static at::Tensor forward(AutogradContext *ctx, const at::Tensor &first,
                            const at::Tensor &second, alamos_activation act) {
    at::Tensor x = maps(first), y = maps(second), out = at::empty_like(x);
    typed(x, [&](auto *t) {
      using T = std::remove_pointer_t<decltype(t)>;
      alamos::add(data<T>(x), data<T>(y), data<T>(out), x.numel(), act);
    });
    ctx->save_for_backward({x, y});
    ctx->saved_data["act"] = int64_t(act);
    return out;
  }

  static variable_list backward(AutogradContext *ctx, variable_list out) {
    auto saved = ctx->get_saved_variables();
    const at::Tensor &x = saved[0], &y = saved[1];
    auto act = static_cast<alamos_activation>(ctx->saved_data["act"].toInt());
    at::Tensor from = maps(out[0].to(x.scalar_type())), dx = at::empty_like(x);
    typed(x, [&](auto *t) {
      using T = std::remove_pointer_t<decltype(t)>;
      alamos::add_gradient(data<T>(from), data<T>(x), data<T>(y), data<T>(dx), x.numel(), act);
    });
    return {dx, dx, {}};
  }
};

// Gather is the sums [N, A] of numbers [N, F] at places [rows, A].
class Gather : public torch::autograd::Function<Gather> {
 public:
  static at::Tensor forward(AutogradContext *ctx, const at::Tensor &input, const at::Tensor &places) {
    at::Tensor x = input.contiguous(), out = at::empty({x.size(0), places.size(1)}, x.options());
    typed(x, [&](auto *t) {
      using T = std::remove_pointer_t<decltype(t)>;
      alamos::gather(data<T>(x), data<int64_t>(places), data<T>(out), x.size(0), x.size(1), places.size(0),
                     places.size(1));
    });
    ctx->save_for_backward({places});
    ctx->saved_data["features"] = x.size(1);
    return out;
  }

  static variable_list backward(AutogradContext *ctx, variable_list out) {
    at::Tensor places = ctx->get_saved_variables()[0], dout = out[0].contiguous();
    at::Tensor dx = at::empty({dout.size(0), ctx->saved_data["features"].toInt()}, dout.options());
    typed(dout, [&](auto *t) {
      using T = std::remove_pointer_t<decltype(t)>;
      alamos::gather_gradient(data<T>(dout), data<int64_t>(places), data<T>(dx), dx.size(0), dx.size(1),
                              places.size(0), places.size(1));
    });
    return {dx, {}};
  }
};

// The logarithm of the sum of exp over the logits of a position's moves. An index of -1 is
// of no move.
float log_sum_exp(const float *logits, const int32_t *indices, int moves) {
  float most = -INFINITY;
  for (int j = 0; j < moves; j++)
    if (indices[j] >= 0) most = std::max(most, logits[indices[j]]);
  double sum = 0;
  for (int j = 0; j < moves; j++)
    if (indices[j] >= 0) sum += std::exp(double(logits[indices[j]]) - most);
  return float(most + std::log(sum));
}

// The forward pass keeps the gradient, scale (softmax sum(targets) - target), while the
// targets are at hand: they are the caller's.
class PolicyLoss : public torch::autograd::Function<PolicyLoss> {
 public:
  static at::Tensor forward(AutogradContext *ctx, const at::Tensor &logits, int64_t n,
                            const int32_t *offsets, const int32_t *indices,
                            const float *targets, bool legal, double scale) {
    at::Tensor all = logits.to(at::kFloat).contiguous();
    at::Tensor g = legal ? at::zeros_like(all) : at::softmax(all, 1);
    at::Tensor sums = legal ? at::Tensor() : at::logsumexp(all, 1);
    int64_t size = all.dim() == 1 ? 0 : all.size(1);  // logits of moves are one row for all positions
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
      const int32_t *index = indices + offsets[i];
      const float *target = targets + offsets[i], *x = data<float>(all) + i * size;
      float *row = data<float>(g) + i * size;
      int moves = offsets[i + 1] - offsets[i];
      float factor = 0;  // scale, or 0 without targets
      for (int j = 0; j < moves; j++) factor += float(scale) * target[j];
      float log_sum = legal ? log_sum_exp(x, index, moves) : data<float>(sums)[i];
      if (!legal)
        for (int64_t k = 0; k < size; k++) row[k] *= factor;
      for (int j = 0; j < moves; j++) {
        if (index[j] < 0) continue;
        float log = x[index[j]] - log_sum;
        sum -= double(target[j]) * log;
        if (legal) row[index[j]] += factor * std::exp(log);
        row[index[j]] -= float(scale) * target[j];
      }
    }
    ctx->save_for_backward({g.to(logits.scalar_type())});
    return at::full({}, scale * sum, at::kFloat);
  }

  static variable_list backward(AutogradContext *ctx, variable_list out) {
    at::Tensor g = ctx->get_saved_variables()[0];
    float factor = out[0].item<float>();
    return {factor == 1 ? g : g * factor, {}, {}, {}, {}, {}, {}};
  }
};

}  // namespace

alamos_barrier *alamos_barrier_new(int shards) { return new alamos_barrier(shards); }

void alamos_barrier_abort(alamos_barrier *barrier) { barrier->abort(); }

void alamos_barrier_free(alamos_barrier *barrier) { delete barrier; }

void alamos_expand(int n, int count, const uint64_t *planes,
                   const uint8_t *constant, int bf16, void *out) {
  for (int64_t i = 0; i < n; i++, planes += count) {
    int64_t at = i * 64 * count;
    if (bf16)
      alamos::expand(planes, constant, count, static_cast<::bf16 *>(out) + at, count);
    else
      alamos::expand(planes, constant, count, static_cast<float *>(out) + at, count);
  }
}

char *alamos_norm(alamos_barrier *barrier, int shard, const void *x,
                  const void *gamma, const void *beta, const void *mean,
                  const void *var, const void *add, int act, int training,
                  double momentum, double epsilon, void **y) {
  return guard([&] {
    c10::optional<at::Tensor> plus;
    if (add) plus = tensor(add);
    at::Tensor out;
    if (training) {
      out = Norm::apply(tensor(x), tensor(gamma), tensor(beta), plus,
                        static_cast<alamos_activation>(act), data<float>(tensor(mean)),
                        data<float>(tensor(var)), barrier, shard, momentum, epsilon);
    } else {
      require(!at::GradMode::is_enabled(), "alamos: batch norm in evaluation has no backward pass");
      at::Tensor scale = tensor(gamma) * (tensor(var) + epsilon).rsqrt();
      at::Tensor shift = tensor(beta) - tensor(mean) * scale;
      out = normalize(maps(tensor(x)), scale, shift, add ? maps(*plus) : at::Tensor(),
                      static_cast<alamos_activation>(act));
    }
    *y = new at::Tensor(std::move(out));
  });
}

char *alamos_pool(const void *x, void **mean) {
  return guard([&] {
    require(tensor(x).dim() == 4 && tensor(x).size(2) == 8 && tensor(x).size(3) == 8, "alamos: want maps of 8x8 squares");
    *mean = new at::Tensor(Pool::apply(tensor(x)));
  });
}

char *alamos_gate(const void *x, const void *gates, void **out) {
  return guard([&] {
    const at::Tensor &t = tensor(x), &g = tensor(gates);
    require(t.dim() == 4 && t.size(2) == 8 && t.size(3) == 8 && g.dim() == 2 && g.size(0) == t.size(0) &&
                g.size(1) == t.size(1) && g.scalar_type() == at::kFloat,
            "alamos: want maps of 8x8 squares and a gate for each channel");
    *out = new at::Tensor(Gate::apply(t, g));
  });
}

char *alamos_add(const void *x, const void *y, int act, void **out) {
  return guard([&] {
    require(tensor(x).sizes() == tensor(y).sizes() && tensor(x).scalar_type() == tensor(y).scalar_type(),
            "alamos: maps of different shapes or types cannot be added");
    *out = new at::Tensor(Add::apply(tensor(x), tensor(y), static_cast<alamos_activation>(act)));
  });
}

char *alamos_gather(const void *x, const void *places, void **out) {
  return guard([&] {
    const at::Tensor &p = tensor(places);
    require(tensor(x).dim() == 2 && p.dim() == 2 && p.scalar_type() == at::kLong && p.is_contiguous(),
            "alamos: want numbers [N, F] and places [rows, A]");
    *out = new at::Tensor(Gather::apply(tensor(x), p));
  });
}

char *alamos_policy_loss(const void *logits, int n, const int32_t *offsets,
                         const int32_t *indices, const float *targets,
                         int legal, double scale, void **loss) {
  return guard([&] {
    require(legal || tensor(logits).dim() == 2, "alamos: a softmax over all moves needs the logits of all");
    *loss = new at::Tensor(PolicyLoss::apply(tensor(logits), n, offsets, indices, targets, legal != 0, scale));
  });
}

char *alamos_drop_gradients(int count, void *const *leaves) {
  return guard([&] {
    for (int i = 0; i < count; i++)
      tensor(leaves[i]).mutable_grad().reset();
  });
}
