#include "scale.h"

#include "pointwise.h"

namespace alamos {

namespace {

template <class T>
class Scale : public Layer {
 public:
  Scale(int positions, std::vector<float> scale, std::vector<float> shift, alamos_activation act)
      : rows(int64_t(64) * positions), factor(std::move(scale)), shift(std::move(shift)), act(act) {}

  class ScaleCall : public Call {
   public:
    ScaleCall(const Scale &layer, const T *in, T *out) : layer(layer), in(in), out(out) {}

    void run() override {
      scale(in, out, layer.rows, int(layer.factor.size()), layer.factor.data(),
            layer.shift.data(), layer.act);
    }

   private:
    const Scale &layer;
    const T *in;
    T *out;
  };

  std::unique_ptr<Call> bind(const void *in, void *out, void *) const override {
    return std::make_unique<ScaleCall>(*this, static_cast<const T *>(in), static_cast<T *>(out));
  }

 private:
  int64_t rows;
  std::vector<float> factor, shift;
  alamos_activation act;
};

}  // namespace

std::unique_ptr<Layer> scale_layer(int positions, bool half, std::vector<float> scale,
                                   std::vector<float> shift, alamos_activation act) {
  if (half) return std::make_unique<Scale<bf16>>(positions, std::move(scale), std::move(shift), act);
  return std::make_unique<Scale<float>>(positions, std::move(scale), std::move(shift), act);
}

}  // namespace alamos
