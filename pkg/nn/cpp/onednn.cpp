// Convolutions by oneDNN's own interface. libtorch uses the same kernels, but its
// operators allocate every result, cannot add to it, and spend some microseconds
// a call on the way.
#include "layers.h"

#ifdef ALAMOS_ONEDNN

#include <oneapi/dnnl/dnnl.hpp>

#include <cstring>

namespace alamos {

namespace {

using dnnl::memory;

const dnnl::engine &cpu() {
  static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

#if DNNL_VERSION_MAJOR >= 3 || DNNL_VERSION_MINOR >= 5
constexpr auto mish = dnnl::algorithm::eltwise_mish;
#else
constexpr auto mish = dnnl::algorithm::undef;
#endif

void check(dnnl_status_t status) {
  if (status != dnnl_success) throw dnnl::error(status, "oneDNN could not run a convolution");
}

dnnl::convolution_forward::primitive_desc describe(const ConvolutionShape &s) {
  auto type = s.half ? memory::data_type::bf16 : memory::data_type::f32;
  auto single = memory::data_type::f32;
  memory::desc in({s.positions, s.in, 8, 8}, type, memory::format_tag::nhwc);
  memory::desc out({s.positions, s.out, 8, 8}, type, memory::format_tag::nhwc);
  memory::desc weight({s.out, s.in, s.kernel, s.kernel}, type, memory::format_tag::any);
  memory::desc bias({s.out}, single, memory::format_tag::a);

  dnnl::post_ops after;
  if (s.add) after.append_sum(1.0f);
  dnnl::primitive_attr attributes;
  auto act = s.act == ALAMOS_MISH ? mish : dnnl::algorithm::eltwise_relu;
  auto forward = dnnl::prop_kind::forward_inference;
  auto direct = dnnl::algorithm::convolution_direct;
  memory::dims one{1, 1}, pad{s.kernel / 2, s.kernel / 2};
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
#if DNNL_VERSION_MAJOR >= 3
  if (s.act != ALAMOS_IDENTITY) after.append_eltwise(act, 0, 0);
  attributes.set_post_ops(after);
  return {cpu(), forward, direct, in, weight, bias, out, one, pad, pad, attributes};
#else
  if (s.act != ALAMOS_IDENTITY) after.append_eltwise(1, act, 0, 0);
  attributes.set_post_ops(after);
  return {{forward, direct, in, weight, bias, out, one, pad, pad}, attributes, cpu()};
#endif
}

class Direct : public Layer {
 public:
  Direct(const ConvolutionShape &s, const float *weight, const float *bias)
      : description(describe(s)),
        primitive(description),
        weights(description.weights_desc(), cpu()),
        biases(description.bias_desc(), cpu()) {
    memory plain({{s.out, s.in, s.kernel, s.kernel}, memory::data_type::f32, memory::format_tag::oihw},
                 cpu(), const_cast<float *>(weight));
    dnnl::stream stream(cpu());
    dnnl::reorder(plain, weights).execute(stream, plain, weights);
    stream.wait();
    std::memcpy(biases.get_data_handle(), bias, sizeof(float) * s.out);
  }

  size_t scratch() const override { return description.scratchpad_desc().get_size(); }

  std::unique_ptr<Call> bind(const void *in, void *out, void *scratch) const override;

  dnnl::convolution_forward::primitive_desc description;
  dnnl::convolution_forward primitive;
  memory weights, biases;
};

// The arguments are made once: to make them costs as much as to convolve a few
// positions with 32 channels.
class DirectCall : public Layer::Call {
 public:
  DirectCall(const Direct &c, const void *in, void *out, void *scratch)
      : primitive(c.primitive),
        stream(cpu()),
        src(c.description.src_desc(), cpu(), const_cast<void *>(in)),
        dst(c.description.dst_desc(), cpu(), out),
        work(c.description.scratchpad_desc(), cpu(), scratch),
        arguments{{DNNL_ARG_SRC, src.get()},
                  {DNNL_ARG_WEIGHTS, c.weights.get()},
                  {DNNL_ARG_BIAS, c.biases.get()},
                  {DNNL_ARG_DST, dst.get()},
                  {DNNL_ARG_SCRATCHPAD, work.get()}} {}

  void run() override {
    check(dnnl_primitive_execute(primitive.get(), stream.get(),
                                 sizeof arguments / sizeof *arguments, arguments));
  }

 private:
  dnnl::convolution_forward primitive;
  dnnl::stream stream;
  memory src, dst, work;
  dnnl_exec_arg_t arguments[5];
};

std::unique_ptr<Layer::Call> Direct::bind(const void *in, void *out,
                                          void *scratch) const {
  return std::make_unique<DirectCall>(*this, in, out, scratch);
}

}  // namespace

std::unique_ptr<Layer> onednn_convolution(const ConvolutionShape &shape,
                                          const float *weight,
                                          const float *bias) {
  if (shape.act == ALAMOS_MISH && mish == dnnl::algorithm::undef) return nullptr;
  return std::make_unique<Direct>(shape, weight, bias);
}

}  // namespace alamos

#else

namespace alamos {

std::unique_ptr<Layer> onednn_convolution(const ConvolutionShape &,
                                          const float *, const float *) {
  return nullptr;
}

}  // namespace alamos

#endif
