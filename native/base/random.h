// A small seeded generator (SplitMix64; Steele, Lea and Flood, OOPSLA 2014): the same numbers on
// every machine, unlike the distributions of the standard library.

#pragma once

#include <cstdint>

namespace beeline {

class Random {
public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  // Uniform in [0, bound), bound > 0.
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }

private:
  std::uint64_t state_;
};

} // namespace beeline
