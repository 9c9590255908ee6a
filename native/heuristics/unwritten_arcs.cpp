#include "heuristics/unwritten_arcs.h"

#include <algorithm>

namespace beeline {

void UnwrittenArcs::for_each(std::span<const int> values, const Use &use) {
  if (!task_.unwritten)
    return;
  int number = 0;
  for (const UnwrittenAction &action : task_.unwritten->actions) {
    for (const SchemaAtom &effect : action.added)
      add(action, effect, number++, values, use);
    for (const SchemaAtom &effect : action.deleted)
      remove(action, effect, values, use);
  }
}

void UnwrittenArcs::for_each_from_anywhere(const Use &use) const {
  for (const auto &[key, found] : sources_)
    if (!found)
      use(-1, static_cast<int>(key >> 32));
}

bool UnwrittenArcs::match(const SchemaAtom &atom, int value) {
  const int fact = task_.variables.fact_of[value];
  if (fact < 0 || task_.fact_predicates[fact] != atom.predicate)
    return false;
  const auto args = task_.fact_args[fact];
  for (std::size_t i = 0; i < args.size(); ++i) {
    const int arg = atom.args[i];
    if (arg >= 0 && binding_[arg] == free)
      binding_[arg] = args[i];
    if ((arg >= 0 ? binding_[arg] : ~arg) != args[i])
      return false;
  }
  return true;
}

bool UnwrittenArcs::is_possible(const UnwrittenAction &action) const {
  const auto is_open = [&](const SchemaAtom &atom) {
    return std::any_of(atom.args.begin(), atom.args.end(),
                       [&](int arg) { return arg >= 0 && binding_[arg] == free; });
  };
  const UnwrittenActions &unwritten = *task_.unwritten;
  return std::all_of(action.positive.begin(), action.positive.end(),
                     [&](const SchemaAtom &atom) {
                       return is_open(atom) || unwritten.find(atom, binding_.data()) >= 0;
                     }) &&
         std::all_of(action.negative.begin(), action.negative.end(), [&](const SchemaAtom &atom) {
           const int number = is_open(atom) ? -1 : unwritten.find(atom, binding_.data());
           return number < 0 || unwritten.tables[atom.predicate].value(number) != AtomTable::always;
         });
}

void UnwrittenArcs::add(const UnwrittenAction &action, const SchemaAtom &effect, int number,
                        std::span<const int> values, const Use &use) {
  for (int to : values) {
    binding_.assign(static_cast<std::size_t>(action.parameters), free);
    if (!match(effect, to) || !is_possible(action))
      continue;
    const std::vector<int> bound = binding_;
    bool &found = sources_[static_cast<std::uint64_t>(to) << 32 | static_cast<unsigned>(number)];
    for (const SchemaAtom &condition : action.positive)
      for (int from : values) {
        binding_ = bound;
        if (from == to || !match(condition, from))
          continue;
        found = true; // if not from here, then from another value that this condition stands for
        if (is_possible(action))
          use(from, to);
      }
  }
}

void UnwrittenArcs::remove(const UnwrittenAction &action, const SchemaAtom &effect,
                           std::span<const int> values, const Use &use) {
  const Variables &variables = task_.variables;
  for (int to : values) {
    const int variable = variables.variable_of[to];
    if (variables.fact_of[to] >= 0 || to != variables.offsets[variable + 1] - 1)
      continue; // no "none of those"
    for (int from : values) {
      binding_.assign(static_cast<std::size_t>(action.parameters), free);
      if (variables.variable_of[from] == variable && match(effect, from) && is_possible(action))
        use(from, to);
    }
  }
}

} // namespace beeline
