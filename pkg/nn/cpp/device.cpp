// The evaluator on a device: all of a batch's blocks are asked for at once, and
// waited for together. What goes there is packed planes and the numbers of the
// moves, what comes back the logits of these and the outputs of the other heads.
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <functional>

#include "device_layers.h"
#include "guard.h"
#include "layer.h"
#include "model.h"
#include "place.h"

namespace alamos {

namespace {

class DeviceModel : public alamos_model {
 public:
  DeviceModel(Setting s, const char *name)
      : alamos_model(std::move(s)), device(device_of(name)), type(setting.half ? at::kBFloat16 : at::kFloat) {
    at::Tensor marks = at::zeros({padded(setting.planes)}, at::kByte);
    std::copy(setting.constant.begin(), setting.constant.end(), marks.data_ptr<uint8_t>());
    constant = constant_marks(marks, device);
  }

  void conv(int in, int out, int kernel, bool, alamos_activation act, const float *weight,
            const float *bias) override {
    c10::InferenceMode mode;
    layers.push_back(DeviceConvolution(device, in, out, kernel, setting.half, act, weight, bias));
  }

  void scale(int channels, alamos_activation act, const float *scale,
             const float *shift) override {
    c10::InferenceMode mode;
    DeviceScale layer(device, channels, setting.half, act, scale, shift);
    layers.push_back([layer](const at::Tensor &x, const at::Tensor &) { return layer(x); });
  }

  void attention(int channels, int hidden, bool, alamos_activation act, const float *w1,
                 const float *w2, const float *spatial) override {
    c10::InferenceMode mode;
    layers.push_back(DeviceAttention(device, channels, hidden, act, w1, w2, spatial));
  }

  void policy(int channels, int size, const float *weight, const float *bias) override {
    c10::InferenceMode mode;
    at::Tensor w = on_device(weight, {size, 64, channels}, device);
    set_policy(pad_channels(w).view({size, -1}), bias);
  }

  void policy_maps(int channels, int count, const float *weight, const float *bias) override {
    c10::InferenceMode mode;
    at::Tensor w = on_device(weight, {count, channels}, device);
    set_policy(pad_channels(w), bias);
    maps = count;
  }

  void head(int channels, const float *conv, float conv_bias) override {
    c10::InferenceMode mode;
    dense.emplace_back(device, channels, conv, conv_bias);
  }
  void hidden(int in, int out, const float *weight, const float *bias) override {
    c10::InferenceMode mode;
    dense.back().append(in, out, true, weight, bias);
  }
  void output(int in, int out, const float *weight, const float *bias) override {
    c10::InferenceMode mode;
    dense.back().append(in, out, false, weight, bias);
  }

  std::unique_ptr<alamos_session> session() const override;

  // Where the logit of a policy index of the i-th position of a block is.
  int64_t place(int i, int index) const {
    if (maps == 0) return int64_t(i) * policy_size + index;
    return (int64_t(i) * 64 + index % 64) * maps + index / 64;
  }

  const c10::Device device;
  const at::ScalarType type;  // of maps
  at::Tensor constant;        // [P] of bool; not defined where there is none
  // The k-th writes register[k + 1] = layer(register[from], register[add]).
  std::vector<std::function<at::Tensor(const at::Tensor &, const at::Tensor &)>> layers;
  at::Tensor policy_weight, policy_bias;
  int maps = 0;  // of a policy whose logits are maps
  std::vector<DeviceHead> dense;

 private:
  void set_policy(const at::Tensor &weight, const float *bias) {
    policy_weight = weight.to(type);
    policy_bias = on_device(bias, {weight.size(0)}, device).to(type);
  }
};

// For the thread that makes it.
class DeviceSession : public alamos_session {
 public:
  explicit DeviceSession(const DeviceModel &m) : model_(m), queue_(Queue::of_thread(m.device)), last_(m.last_reads()) {
    wait_for(m.device);  // for the weights, which were asked for in no queue
  }

  void run(const Batch &b) override {
    c10::InferenceMode mode;
    int block = model_.setting.block;
    size_t count = (b.n + block - 1) / block;
    if (blocks_.size() < count) blocks_.resize(count);
    {
      Queue::Use use(queue_);
      for (size_t k = 0; k < count; k++) ask(blocks_[k], b, int(k) * block, std::min(block, b.n - int(k) * block));
      queue_.wait();
    }
    for (size_t k = 0; k < count; k++) take(blocks_[k], b, int(k) * block, std::min(block, b.n - int(k) * block));
    if (model_.policy_from >= 0) normalize_priors(b);
  }

 private:
  // Memory for what goes to the device and comes back. It is used again: the queue
  // was waited for.
  struct Block {
    at::Tensor in, out;
  };

  // Room for so many numbers, or twice as many when there is less.
  static void reserve(at::Tensor &t, c10::Device device, int64_t numbers, at::ScalarType type) {
    if (!t.defined() || t.numel() < numbers) t = transfer_memory(device, 2 * numbers, type);
  }

  // Asks for a block of n positions, the first of which is the one at first.
  void ask(Block &block, const Batch &b, int first, int n) const {
    const DeviceModel &m = model_;
    int planes = m.setting.planes, wide = padded(planes);
    int moves = m.policy_from >= 0 ? b.offsets[first + n] - b.offsets[first] : 0;
    int64_t words = int64_t(m.setting.block) * wide;
    reserve(block.in, m.device, words + moves, at::kLong);
    // Planes beyond the network's own stay 0, as the memory was at first.
    int64_t *in = block.in.data_ptr<int64_t>();
    for (int i = 0; i < n; i++)
      std::copy_n(reinterpret_cast<const int64_t *>(b.planes) + int64_t(first + i) * planes, planes, in + int64_t(i) * wide);
    int64_t *to = in + words;
    for (int i = 0; moves > 0 && i < n; i++)
      for (int j = b.offsets[first + i]; j < b.offsets[first + i + 1]; j++) {
        require(b.indices[j] < m.policy_size, "alamos: a policy index is out of range");
        *to++ = m.place(i, std::max(0, b.indices[j]));
      }

    at::Tensor sent = block.in.narrow(0, 0, words + moves).to(m.device, /*non_blocking=*/true);
    std::vector<at::Tensor> maps(m.width.size()), out;
    maps[0] = expand_on_device(sent.narrow(0, 0, words).view({-1, wide}), m.constant, m.type);
    for (int k = 0; k < int(m.layers.size()); k++) {
      const Wiring &at = m.wiring[k];
      maps[k + 1] = m.layers[k](maps[at.from], at.add >= 0 ? maps[at.add] : at::Tensor());
      for (int reg = 0; reg <= k + 1; reg++)
        if (last_[reg] <= k) maps[reg].reset();
    }
    for (size_t h = 0; h < m.heads.size(); h++)
      out.push_back(m.dense[h](maps[m.heads[h].from]).reshape({-1}));
    if (moves > 0) {
      at::Tensor x = maps[m.policy_from].permute({0, 2, 3, 1});
      x = m.maps > 0 ? x.reshape({-1, x.size(3)}) : x.reshape({x.size(0), -1});
      at::Tensor logits = at::linear(x, m.policy_weight, m.policy_bias).view({-1});
      out.push_back(logits.index_select(0, sent.narrow(0, words, moves)).to(at::kFloat));
    }
    at::Tensor all = out.size() == 1 ? out[0] : at::cat(out);
    reserve(block.out, m.device, all.numel(), at::kFloat);
    block.out.narrow(0, 0, all.numel()).copy_(all, /*non_blocking=*/true);
  }

  // Takes the answers of a block that was asked for.
  void take(const Block &block, const Batch &b, int first, int n) const {
    const DeviceModel &m = model_;
    const float *out = block.out.data_ptr<float>();
    for (size_t h = 0; h < m.heads.size(); h++) {
      finish(m.heads[h].kind, first, n, out, b);
      out += m.setting.block * m.dense[h].outputs();
    }
    if (m.policy_from >= 0) std::copy_n(out, b.offsets[first + n] - b.offsets[first], b.priors + b.offsets[first]);
  }

  const DeviceModel &model_;
  const Queue &queue_;
  const std::vector<int> last_;
  std::vector<Block> blocks_;
};

std::unique_ptr<alamos_session> DeviceModel::session() const {
  return std::make_unique<DeviceSession>(*this);
}

}  // namespace

std::unique_ptr<alamos_model> device_model(Setting setting, const char *device) {
  c10::InferenceMode mode;
  return std::make_unique<DeviceModel>(std::move(setting), device);
}

}  // namespace alamos
