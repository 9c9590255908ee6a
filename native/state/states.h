// States: a registry with its successor generator, for one task.

#pragma once

#include "state/registry.h"
#include "state/successors.h"

namespace beeline {

struct States {
  explicit States(const GroundTask &task)
      : registry(task), successors(task, registry.packer()),
        initial(registry.insert_values(task.initial.data())) {}
  States(const States &) = delete; // the generator refers to the registry

  StateRegistry registry;
  SuccessorGenerator successors;
  StateId initial;
};

} // namespace beeline
