// Classes of objects that can be exchanged for each other.
//
// Two objects can be exchanged if that maps variables to variables, operators to operators of the
// same cost, and the goal to itself; the initial state does not matter. Where no atom mentions two
// objects of a class, the values of some variables say all about each of them.

#pragma once

#include <cstdint>
#include <vector>

#include "task/ground_task.h"

namespace beeline {

// What a variable says about each object of a class: a variable of its own, or a value of one that
// all share.
struct ObjectRole {
  bool shared = false;
  std::vector<int> variables;           // per object
  std::vector<std::vector<int>> values; // per object: within its variable, in one order for all
  std::vector<std::vector<int>> codes;  // per object and value within its variable
  std::uint64_t radix = 1;              // above all codes
};

struct ObjectClass {
  std::vector<int> objects;
  std::vector<ObjectRole> roles; // the product of their radices fits 62 bits
};

// None in tasks with axioms, with unwritten actions, or that are too large to look.
std::vector<ObjectClass> object_classes(const GroundTask &task);

} // namespace beeline
