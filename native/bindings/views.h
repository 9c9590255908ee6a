// Read-only numpy views of native arrays; the view keeps its owner alive.

#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "base/rows.h"

namespace beeline::bindings {

namespace nb = nanobind;

using IntView = nb::ndarray<nb::numpy, const std::int32_t, nb::ndim<1>>;
using LongView = nb::ndarray<nb::numpy, const std::int64_t, nb::ndim<1>>;
using EffectView = nb::ndarray<nb::numpy, const std::int32_t, nb::shape<-1, 3>>;

inline IntView view(const std::vector<int> &items, nb::handle owner) {
  return IntView(items.data(), {items.size()}, owner);
}

inline LongView view(const std::vector<std::int64_t> &items, nb::handle owner) {
  return LongView(items.data(), {items.size()}, owner);
}

// Arrays of their own, for what the engine does not keep in this form.
template <class Array, class Item>
Array array_of(std::vector<Item> items, std::initializer_list<std::size_t> shape) {
  auto *owned = new std::vector<Item>(std::move(items));
  const nb::capsule owner(
      owned, [](void *pointer) noexcept { delete static_cast<std::vector<Item> *>(pointer); });
  return Array(owned->data(), shape, owner);
}

template <class Array, class Item>
Array array_of(std::vector<Item> items) {
  const std::size_t size = items.size();
  return array_of<Array>(std::move(items), {size});
}

using RowsView = nb::typed<nb::tuple, LongView, IntView>;

// Row i is items[starts[i]:starts[i + 1]].
inline RowsView rows_view(const Rows<int> &rows, nb::handle owner) {
  return RowsView(nb::make_tuple(view(rows.starts(), owner), view(rows.items(), owner)));
}

// Starts with 32 bits become an array of their own.
inline LongView long_starts(const std::vector<std::uint32_t> &starts) {
  return array_of<LongView>(std::vector<std::int64_t>(starts.begin(), starts.end()));
}
inline RowsView rows_view(const Rows<int, std::uint32_t> &rows, nb::handle owner) {
  return RowsView(nb::make_tuple(long_starts(rows.starts()), view(rows.items(), owner)));
}

} // namespace beeline::bindings
