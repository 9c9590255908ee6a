#include "features/operator_nodes.h"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

namespace beeline {

OperatorNodes::OperatorNodes(const ColourGraph &graph, const std::vector<OperatorSlot> &slots)
    : graph_(graph) {
  const Operators &operators = graph.task().operators;
  constexpr std::size_t unknown = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> arities; // per action that has operators
  const auto note = [&](std::size_t action, std::size_t arity) {
    if (action >= arities.size())
      arities.resize(action + 1, unknown);
    if (arities[action] == unknown)
      arities[action] = arity;
  };
  for (std::size_t op = 0; op < graph.task().listed_operators(); ++op)
    note(static_cast<std::size_t>(operators.actions[op]), operators.args[op].size());
  if (graph.task().unwritten)
    for (const UnwrittenAction &action : graph.task().unwritten->actions)
      note(static_cast<std::size_t>(action.action), static_cast<std::size_t>(action.named));
  slots_.resize(arities.size());
  for (const OperatorSlot &slot : slots) {
    if (slot.action < 0 || slot.number < 0 || slot.args.size() > max_arity)
      throw std::invalid_argument("a slot has a number that is out of range");
    if (static_cast<std::size_t>(slot.action) >= slots_.size())
      continue; // no operator of this action
    for (int arg : slot.args)
      if (arg >= 0 ? static_cast<std::size_t>(arg) >= arities[slot.action]
                   : ~arg >= graph.objects())
        throw std::invalid_argument("a slot is for an argument that its action does not have");
    const Atoms *atoms = nullptr;
    if (slot.predicate >= 0) {
      const int arity = static_cast<int>(slot.args.size());
      atoms = &known_.try_emplace({slot.predicate, arity}, arity, std::max(1, graph.objects()))
                   .first->second;
    } else if (slot.args.size() > 1 || slot.predicate < any_predicate ||
               (slot.predicate == any_predicate && slot.args.empty())) {
      throw std::invalid_argument("a slot without a predicate is for one argument");
    }
    const bool is_around = slot.predicate == any_predicate;
    slots_[slot.action].push_back({slot.number, atoms, slot.args, is_around});
    looks_around_ = looks_around_ || is_around;
    numbers_ = std::max(numbers_, slot.number + 1);
  }
  for (int atom = 0; atom < graph.chains_from(); ++atom) {
    const auto args = graph.args(atom);
    const auto found = known_.find({graph.predicate_of(atom), static_cast<int>(args.size())});
    if (found != known_.end() && found->second.tuples.insert(args.data()).second)
      found->second.atoms.push_back(atom);
  }
}

int OperatorNodes::node(const Slot &slot, std::span<const int> args) const {
  std::array<int, max_arity> objects{};
  std::size_t count = 0;
  for (int arg : slot.args)
    objects[count++] = arg >= 0 ? args[static_cast<std::size_t>(arg)] : ~arg;
  if (slot.atoms == nullptr)
    return count == 0 ? no_node : objects[0];
  const int known = slot.atoms->tuples.find(objects.data());
  return known < 0 ? no_node
                   : graph_.objects() + slot.atoms->atoms[static_cast<std::size_t>(known)];
}

} // namespace beeline
