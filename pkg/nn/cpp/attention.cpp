#include "layers.h"

#include <algorithm>
#include <limits>

#include "maps.h"
#include "mish.h"
#include "vector.h"

namespace alamos {

namespace {

constexpr int squares = 64, side = 8;
constexpr int around = attention_kernel / 2, frame = side + 2 * around;

struct Weights {
  AttentionShape shape;
  int wide;                   // channels, padded
  std::vector<float> w1, w2, w3;  // all [hidden][wide]
  std::vector<float> b1, b2, b3;  // [hidden], [wide], [wide]
  std::vector<float> spatial;
  bool shifts;  // or else w3 and b3 are zeros
};

// The intermediate results of a position.
struct Work {
  explicit Work(const Weights &w) : mean(w.wide), top(w.wide), gate(w.wide), shift(w.wide) {}
  std::vector<float> mean, top, gate;
  std::vector<float> shift;  // zeros without w3
  float planes[2][frame][frame] = {};  // mean and maximum of each square, in a frame of zeros
  float squares[64];
};

// gate = sigmoid(w2 h + b2) and, if the layer has it, shift = w3 h + b3, where h is
// relu(w1 mean + b1), or with both relu(w1 mean) + relu(w1 top).
ALAMOS_INLINE void channel_gates(const Weights &w, const float *mean, const float *top, bool both,
                                 float *gate, float *shift) {
  std::copy_n(w.b2.data(), w.wide, gate);
  if (w.shifts) std::copy_n(w.b3.data(), w.wide, shift);
  for (int h = 0; h < w.shape.hidden; h++) {
    const float *w1 = &w.w1[h * w.wide], *w2 = &w.w2[h * w.wide];
    Vector a = {}, b = {};
    for (int c = 0; c < w.wide; c += lanes) {
      a += load(w1 + c) * load(mean + c);
      if (both) b += load(w1 + c) * load(top + c);
    }
    float sum[lanes], other[lanes];
    store(a, sum);
    store(b, other);
    float hidden = std::max(reduce(sum) + w.b1[h], 0.0f) + std::max(reduce(other), 0.0f);
    for (int c = 0; c < w.wide; c += lanes)
      store(load(gate + c) + hidden * load(w2 + c), gate + c);
    if (!w.shifts) continue;
    const float *w3 = &w.w3[h * w.wide];
    for (int c = 0; c < w.wide; c += lanes)
      store(load(shift + c) + hidden * load(w3 + c), shift + c);
  }
  for (int c = 0; c < w.wide; c += lanes) store(sigmoid(load(gate + c)), gate + c);
}

// Means and maxima of each square over the gated channels. A channel beyond the
// network's own is no maximum: it is left out by the lowest number.
template <class T>
ALAMOS_INLINE void pool_channels(const T *x, const Weights &w, const float *gate,
                                 float (*planes)[frame][frame]) {
  constexpr float lowest = -std::numeric_limits<float>::infinity();
  float kept[lanes];
  for (int l = 0; l < lanes; l++) kept[l] = w.wide - lanes + l < w.shape.channels ? 0 : lowest;
  for (int s = 0; s < squares; s++) {
    Vector sum = {}, most = Vector{} + lowest;
    for (int c = 0; c < w.wide; c += lanes) {
      Vector v = load(x + s * w.wide + c) * load(gate + c);
      sum += v;
      if (c + lanes == w.wide) v += load(kept);
      most = v > most ? v : most;
    }
    float sums[lanes], tops[lanes];
    store(sum, sums);
    store(most, tops);
    float *mean = &planes[0][around + s / side][around + s % side];
    *mean = reduce(sums) / float(w.shape.channels);
    planes[1][around + s / side][around + s % side] = *std::max_element(tops, tops + lanes);
  }
}

// gate = sigmoid(conv(planes)).
ALAMOS_INLINE void square_gates(const float (*planes)[frame][frame], const float *weight,
                                float *gate) {
  for (int y = 0; y < side; y++) {
    float row[side] = {};
    for (int p = 0; p < 2; p++)
      for (int i = 0; i < attention_kernel; i++)
        for (int j = 0; j < attention_kernel; j++) {
          float k = weight[(p * attention_kernel + i) * attention_kernel + j];
          for (int x = 0; x < side; x++) row[x] += k * planes[p][y + i][x + j];
        }
    std::copy_n(row, side, gate + y * side);
  }
  for (int s = 0; s < squares; s += lanes) store(sigmoid(load(gate + s)), gate + s);
}

template <class T>
ALAMOS_CLONES void attend(const Weights &w, Work &work, const T *x, T *out) {
  bool spatial = !w.spatial.empty();
  pool_squares(x, w.wide, work.mean.data(), work.top.data());
  channel_gates(w, work.mean.data(), work.top.data(), spatial, work.gate.data(), work.shift.data());
  if (spatial) {
    pool_channels(x, w, work.gate.data(), work.planes);
    square_gates(work.planes, w.spatial.data(), work.squares);
  }
  const float *gate = work.gate.data(), *shift = work.shift.data(), *at = work.squares;
  bool add = w.shape.add;
  int wide = w.wide;
  with_activation(w.shape.act, [=](auto a) ALAMOS_FLAT {
    for (int s = 0; s < squares; s++) {
      float g = spatial ? at[s] : 1;
      for (int c = 0; c < wide; c += lanes) {
        Vector v = load(x + s * wide + c) * load(gate + c) * g + load(shift + c);
        if (add) v += load(out + s * wide + c);
        store(activated<decltype(a)::value>(v), out + s * wide + c);
      }
    }
  });
}

template <class T>
class Attention : public Layer {
 public:
  explicit Attention(Weights w) : weights(std::move(w)) {}

  class AttentionCall : public Call {
   public:
    AttentionCall(const Weights &w, const T *in, T *out) : weights(w), in(in), out(out), work(w) {}

    void run() override {
      int64_t size = int64_t(squares) * weights.wide;
      for (int i = 0; i < weights.shape.positions; i++)
        attend(weights, work, in + i * size, out + i * size);
    }

   private:
    const Weights &weights;
    const T *in;
    T *out;
    Work work;
  };

  std::unique_ptr<Call> bind(const void *in, void *out, void *) const override {
    return std::make_unique<AttentionCall>(weights, static_cast<const T *>(in),
                                           static_cast<T *>(out));
  }

 private:
  Weights weights;
};

}  // namespace

std::unique_ptr<Layer> attention_layer(const AttentionShape &shape, const alamos_attention &a) {
  Weights w;
  w.shape = shape;
  w.wide = padded(shape.channels);
  w.shifts = a.w3;
  for (auto *x : {&w.w1, &w.w2, &w.w3}) x->resize(size_t(shape.hidden) * w.wide);
  for (int h = 0; h < shape.hidden; h++)
    for (int c = 0; c < shape.channels; c++) {
      w.w1[h * w.wide + c] = a.w1[h * shape.channels + c];
      w.w2[h * w.wide + c] = a.w2[c * shape.hidden + h];
      if (a.w3) w.w3[h * w.wide + c] = a.w3[c * shape.hidden + h];
    }
  auto copy = [](const float *from, int n, int size) {
    std::vector<float> to(size);
    if (from) std::copy_n(from, n, to.begin());
    return to;
  };
  w.b1 = copy(a.b1, shape.hidden, shape.hidden);
  w.b2 = copy(a.b2, shape.channels, w.wide);
  w.b3 = copy(a.b3, shape.channels, w.wide);
  constexpr int kernel = 2 * attention_kernel * attention_kernel;
  if (a.spatial) w.spatial = copy(a.spatial, kernel, kernel);
  if (shape.half) return std::make_unique<Attention<bf16>>(std::move(w));
  return std::make_unique<Attention<float>>(std::move(w));
}

}  // namespace alamos
