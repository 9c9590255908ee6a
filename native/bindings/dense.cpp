#include <cmath>
#include <stdexcept>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include "bindings/rooms.h"
#include "bindings/views.h"
#include "dense/resnet.h"

namespace beeline::bindings {

namespace {

using Floats = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Written = nb::ndarray<float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using NewMatrix = nb::ndarray<nb::numpy, float, nb::ndim<2>>;

// Denormal numbers are zeros while this lives: the first moment of a unit that has died would
// decay into them, and processors are slow there.
class FlushedDenormals {
public:
#if defined(__SSE__)
  FlushedDenormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | 0x8040u); }
  ~FlushedDenormals() { _mm_setcsr(before_); }

private:
  unsigned before_;
#endif
};

void check_weights(const ResNet &network, std::size_t count) {
  if (count != network.num_weights())
    throw std::invalid_argument("the network has another number of weights");
}

NewMatrix forward(ResNet &network, const Floats &weights, const Matrix &facts) {
  check_weights(network, weights.shape(0));
  if (facts.shape(1) != static_cast<std::size_t>(network.inputs()))
    throw std::invalid_argument("the network has another number of inputs");
  const std::size_t count = facts.shape(0), heads = network.heads();
  auto *raw = new float[count * heads];
  const nb::capsule owner(raw,
                          [](void *pointer) noexcept { delete[] static_cast<float *>(pointer); });
  {
    nb::gil_scoped_release unlocked;
    network.forward(weights.data(), facts.data(), static_cast<int>(count), raw);
  }
  return NewMatrix(raw, {count, heads}, owner);
}

void gradient(ResNet &network, const Floats &weights, const Matrix &slopes, Written gradients) {
  check_weights(network, weights.shape(0));
  check_weights(network, gradients.shape(0));
  if (slopes.shape(0) != static_cast<std::size_t>(network.states()) ||
      slopes.shape(1) != static_cast<std::size_t>(network.heads()))
    throw std::invalid_argument("there is one slope for each raw output of the last batch");
  nb::gil_scoped_release unlocked;
  network.gradient(weights.data(), slopes.data(), gradients.data());
}

void adamw_step(Written weights, Written gradients, Written first, Written second, int number,
                double learning_rate, double weight_decay, double beta_1, double beta_2,
                double epsilon) {
  const std::size_t count = weights.shape(0);
  if (gradients.shape(0) != count || first.shape(0) != count || second.shape(0) != count)
    throw std::invalid_argument("there is one gradient and one moment for each weight");
  const AdamStep step{static_cast<float>(1.0 - learning_rate * weight_decay),
                      static_cast<float>(1.0 - beta_1),
                      static_cast<float>(1.0 - beta_2),
                      static_cast<float>(learning_rate / (1.0 - std::pow(beta_1, number))),
                      static_cast<float>(1.0 / std::sqrt(1.0 - std::pow(beta_2, number))),
                      static_cast<float>(epsilon)};
  nb::gil_scoped_release unlocked;
  const FlushedDenormals flushed;
  best_dense_kernel().adam(step, weights.data(), gradients.data(), first.data(), second.data(),
                           count);
}

} // namespace

void bind_dense(nb::module_ &module) {
  nb::class_<ResNet>(module, "ResNet", "A residual network of dense layers, one batch at a time.")
      .def(nb::init<int, int, int>(), nb::arg("inputs"), nb::arg("heads"), nb::arg("hidden"))
      .def_prop_ro("num_weights", &ResNet::num_weights)
      .def("forward", &forward, nb::arg("weights"), nb::arg("facts"),
           "Raw outputs float32[n, heads] of facts float32[n, inputs], kept for `gradient`.")
      .def("gradient", &gradient, nb::arg("weights"), nb::arg("slopes"), nb::arg("gradients"),
           "Write the gradient of a function of the last raw outputs, whose slopes are "
           "float32[n, heads].");
  module.def("adamw_step", &adamw_step, nb::arg("weights"), nb::arg("gradients"), nb::arg("first"),
             nb::arg("second"), nb::arg("number"), nb::arg("learning_rate"),
             nb::arg("weight_decay"), nb::arg("beta_1"), nb::arg("beta_2"), nb::arg("epsilon"),
             "Step number 1, 2, ... of AdamW; the gradients are zero afterwards.");
}

} // namespace beeline::bindings
