// Arrays that go to networks and come back from them.

#pragma once

#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace beeline::bindings {

namespace nb = nanobind;

template <class Item>
using Vector = nb::ndarray<const Item, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ints = Vector<std::int32_t>;
using Matrix = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Facts = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Floats = nb::ndarray<const float, nb::c_contig, nb::device::cpu>; // of any shape
using Written = nb::ndarray<float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using NewVector = nb::ndarray<nb::numpy, float, nb::ndim<1>>;
using NewMatrix = nb::ndarray<nb::numpy, float, nb::ndim<2>>;
using Matrices = std::pair<Floats, Floats>; // a matrix and a bias

template <class Item>
std::span<const Item> span_of(const Vector<Item> &array) {
  return {array.data(), array.shape(0)};
}

inline std::span<const float> span_of(const Floats &array) { return {array.data(), array.size()}; }

inline std::vector<int> ints_of(const Ints &array) {
  return {array.data(), array.data() + array.shape(0)};
}

template <class Array>
Array new_floats(std::size_t count, std::initializer_list<std::size_t> shape) {
  auto *values = new float[count]();
  const nb::capsule owner(values,
                          [](void *pointer) noexcept { delete[] static_cast<float *>(pointer); });
  return Array(values, shape, owner);
}

// Raw outputs of a network that is bound to one task.
template <class Network>
NewMatrix evaluate_facts(Network &network, const Facts &facts) {
  if (facts.shape(1) != static_cast<std::size_t>(network.facts()))
    throw std::invalid_argument("the states belong to another task");
  const std::size_t count = facts.shape(0), heads = network.heads();
  auto raw = new_floats<NewMatrix>(count * heads, {count, heads});
  nb::gil_scoped_release unlocked;
  network.evaluate(facts.data(), count, raw.data());
  return raw;
}

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

} // namespace beeline::bindings
