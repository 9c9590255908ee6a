// A ground task as bytes and back: what lets it cross to another process.
//
// The bytes are for memory only (worker processes of the same version), not for files.

#pragma once

#include <string>
#include <string_view>

#include "task/ground_task.h"

namespace beeline {

std::string to_bytes(const GroundTask &task);

// Throws std::invalid_argument if the bytes are not from `to_bytes`.
GroundTask from_bytes(std::string_view bytes);

} // namespace beeline
