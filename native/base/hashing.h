// Hashing of short integer sequences: multiply-and-fold, good enough for power-of-two tables.

#pragma once

#include <cstddef>
#include <cstdint>

namespace beeline {

inline std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ULL;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ULL;
  x ^= x >> 32;
  return x;
}

inline std::size_t hash_ints(const int *values, int count) {
  std::uint64_t hash = 0x9e3779b97f4a7c15ULL;
  for (int i = 0; i < count; ++i)
    hash = mix(hash ^ static_cast<std::uint32_t>(values[i]));
  return static_cast<std::size_t>(hash);
}

} // namespace beeline
