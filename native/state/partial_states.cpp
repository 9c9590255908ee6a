#include "state/partial_states.h"

namespace beeline {

namespace {

std::unique_ptr<GroundTask> extended(const GroundTask &task) {
  auto result = std::make_unique<GroundTask>();
  for (int variable = 0; variable < task.variables.count(); ++variable)
    result->variables.add(std::vector<int>(task.variables.domain_size(variable) + 1, -1));
  return result;
}

} // namespace

PartialStates::PartialStates(const GroundTask &task)
    : task_(task), extended_(extended(task)), registry_(*extended_),
      buffer_(registry_.packer().words()), values_(task.variables.count()) {}

std::pair<StateId, bool> PartialStates::insert(const PartialState &state) {
  const std::vector<int> &offsets = extended_->variables.offsets;
  for (std::size_t variable = 0; variable < state.size(); ++variable)
    values_[variable] = state[variable] == undefined ? offsets[variable + 1] - 1
                                                     : offsets[variable] + state[variable];
  registry_.packer().pack(values_.data(), buffer_.data());
  return registry_.insert(buffer_.data());
}

void PartialStates::read(StateId id, PartialState &state) const {
  state.resize(values_.size());
  const Word *packed = registry_[id];
  for (int variable = 0; variable < variables(); ++variable) {
    const int value = registry_.packer().get(packed, variable);
    state[variable] = value == task_.variables.domain_size(variable) ? undefined : value;
  }
}

PartialState PartialStates::goal() const {
  PartialState result = nothing();
  for (int value : task_.goal) {
    const int variable = task_.variables.variable_of[value];
    result[variable] = value - task_.variables.offsets[variable];
  }
  return result;
}

} // namespace beeline
