// Grounder: from a lifted program to a ground task, in two calls.
//
// The search for lifted invariants wants to know which parameters of an action can be equal,
// and that is known only after exploration; so exploration is the first call, and the caller
// hands the invariants to the second.

#pragma once

#include <vector>

#include "base/poll.h"
#include "ground/exploration.h"
#include "task/ground_task.h"

namespace beeline {

class Grounder {
public:
  explicit Grounder(LiftedProgram program) : program_(std::move(program)) {}
  Grounder(const Grounder &) = delete;
  Grounder(Grounder &&) = default;

  // Actions stay unwritten if all of them have more than `most` instances.
  void explore(double most, Poll &poll);
  // With `inlined`, conditions on derived facts are replaced by what these stand for.
  GroundTask finish(const std::vector<LiftedInvariant> &invariants, bool inlined, Poll &poll);

  const LiftedProgram &program() const { return program_; }
  const Exploration &explored() const { return exploration_; }

private:
  bool goal_statically_false() const;
  void derive_initial_values(GroundTask &task) const;

  LiftedProgram program_;
  Exploration exploration_;
};

} // namespace beeline
