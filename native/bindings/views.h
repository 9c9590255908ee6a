// Read-only numpy views of native arrays; the view keeps its owner alive.

#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
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

using RowsView = nb::typed<nb::tuple, LongView, IntView>;

// Row i is items[starts[i]:starts[i + 1]].
inline RowsView rows_view(const Rows<int> &rows, nb::handle owner) {
  return RowsView(nb::make_tuple(view(rows.starts(), owner), view(rows.items(), owner)));
}

} // namespace beeline::bindings
