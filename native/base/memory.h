// How much memory this process uses, in bytes; 0 where the system does not tell.

#pragma once

#include <cstddef>

namespace beeline {

std::size_t resident_bytes();
std::size_t peak_resident_bytes();

} // namespace beeline
