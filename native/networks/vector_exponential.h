// The exponential function of vectors, for files that are compiled once for each kind of processor:
// each has its own copy, as base/processor.h wants it.

#pragma once

namespace beeline {

// exp by 2^n times a polynomial of the rest, within 2e-7 of the value; 0 for what is very small.
// Not for values above 87. `Ints` is a vector of as many integers.
template <class Vector, class Ints>
[[gnu::always_inline]] static inline Vector exponential(Vector x) {
  x = x > -87.0f ? x : Vector{} - 87.0f;
  const Vector scaled = x * 1.44269504f;
  const Vector shifted = scaled + 12582912.0f; // rounds to whole numbers
  const Vector whole = shifted - 12582912.0f;
  const Vector rest = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
  Vector value = Vector{} + 1.9875691e-4f;
  value = value * rest + 1.3981999e-3f;
  value = value * rest + 8.3334519e-3f;
  value = value * rest + 4.1665795e-2f;
  value = value * rest + 1.6666665e-1f;
  value = value * rest + 5.0000001e-1f;
  value = value * rest * rest + rest + 1.0f;
  const Ints power = (__builtin_convertvector(whole, Ints) + 127) << 23;
  return value * reinterpret_cast<const Vector &>(power);
}

} // namespace beeline
