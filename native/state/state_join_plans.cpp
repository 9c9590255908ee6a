// How StateJoins prepares for a task: parts of actions, and the order in which conditions of a part
// are matched. Conditions whose arguments are all bound come first (a look-up each), then the one
// that is expected to leave the fewest matches, as in the grounder's join plans.

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "state/state_joins.h"

namespace beeline {

namespace {

bool all_bound(const SchemaAtom &atom, const std::vector<char> &bound) {
  return std::all_of(atom.args.begin(), atom.args.end(),
                     [&](int arg) { return arg < 0 || bound[arg] != 0; });
}

} // namespace

StateJoins::StateJoins(const GroundTask &task, const StatePacker &packer)
    : task_(task), packer_(packer) {
  if (!task.unwritten)
    return;
  tables_ = task.unwritten->tables;
  atom_of_.resize(static_cast<std::size_t>(task.variables.values()));
  lists_over_.resize(tables_.size());
  lasting_.resize(tables_.size());
  true_.resize(tables_.size());
  usual_.assign(tables_.size(), 0);
  objects_at_.resize(tables_.size());
  std::vector<char> conditions(tables_.size(), 0); // whether a condition mentions it
  for (const UnwrittenAction &schema : task.unwritten->actions)
    for (const auto &atoms : {schema.positive, schema.negative})
      for (const SchemaAtom &atom : atoms)
        conditions[atom.predicate] = 1;
  std::vector<int> last_of(static_cast<std::size_t>(task.variables.count()), -1);
  for (int p = 0; p < static_cast<int>(tables_.size()); ++p) {
    if (conditions[p] == 0)
      continue;
    count_objects(p);
    if (!is_fluent(p))
      continue;
    for (int atom = 0; atom < tables_[p].tuples.size(); ++atom) {
      const int value = tables_[p].value(atom);
      if (value == AtomTable::always) {
        lasting_[p].push_back(atom);
        continue;
      }
      atom_of_[value] = {p, atom};
      const int variable = task.variables.variable_of[value];
      if (last_of[variable] < 0)
        variables_.push_back(variable);
      if (std::exchange(last_of[variable], p) != p)
        ++usual_[p];
    }
    usual_[p] += static_cast<double>(lasting_[p].size());
  }
  for (const UnwrittenAction &schema : task.unwritten->actions)
    add_action(schema);
}

// Parameters that a condition mentions together are one part; conditions without parameters are a
// part of their own.
void StateJoins::add_action(const UnwrittenAction &schema) {
  std::vector<int> group(static_cast<std::size_t>(schema.parameters));
  std::iota(group.begin(), group.end(), 0);
  for (const auto &atoms : {schema.positive, schema.negative})
    for (const SchemaAtom &atom : atoms) {
      int first = -1;
      for (int arg : atom.args) {
        if (arg < 0)
          continue;
        if (first < 0)
          first = arg;
        else if (group[arg] != group[first])
          std::replace(group.begin(), group.end(), int{group[arg]}, int{group[first]});
      }
    }
  const auto group_of = [&](const SchemaAtom &atom) {
    const auto arg = std::find_if(atom.args.begin(), atom.args.end(), [](int a) { return a >= 0; });
    return arg == atom.args.end() ? -1 : group[*arg];
  };
  Action &action = actions_.emplace_back();
  action.binding.resize(static_cast<std::size_t>(schema.parameters));
  binding_.resize(std::max(binding_.size(), action.binding.size()));
  values_.resize(std::max(values_.size(), schema.positive.size() + schema.negative.size()));
  std::vector<int> groups{-1};
  for (int each : group)
    if (std::find(groups.begin(), groups.end(), each) == groups.end())
      groups.push_back(each);
  for (int each : groups) {
    Part part;
    for (int parameter = 0; parameter < schema.parameters; ++parameter)
      if (group[parameter] == each)
        part.parameters.push_back(parameter);
    const auto of_group = [&](const std::vector<SchemaAtom> &atoms) {
      std::vector<SchemaAtom> result;
      std::copy_if(atoms.begin(), atoms.end(), std::back_inserter(result),
                   [&](const SchemaAtom &atom) { return group_of(atom) == each; });
      return result;
    };
    const auto positive = of_group(schema.positive), negative = of_group(schema.negative);
    if (part.parameters.empty() && positive.empty() && negative.empty())
      continue;
    find_dependencies(part, positive);
    find_dependencies(part, negative);
    part.seen.resize(part.words.size());
    part.conditions = static_cast<std::size_t>(
        std::count_if(positive.begin(), positive.end(),
                      [&](const SchemaAtom &atom) { return is_fluent(atom.predicate); }));
    plan(part, positive, negative, schema.parameters);
    action.parts.push_back(std::move(part));
  }
}

void StateJoins::find_dependencies(Part &part, const std::vector<SchemaAtom> &atoms) {
  for (const SchemaAtom &atom : atoms)
    for (int value : tables_[atom.predicate].values) {
      if (value == AtomTable::always)
        continue;
      const StatePacker::Slot &slot = packer_.slot(task_.variables.variable_of[value]);
      const auto place = std::lower_bound(part.words.begin(), part.words.end(), slot.word);
      const auto index = place - part.words.begin();
      if (place == part.words.end() || *place != slot.word) {
        part.words.insert(place, slot.word);
        part.masks.insert(part.masks.begin() + index, 0);
      }
      part.masks[static_cast<std::size_t>(index)] |= slot.mask << slot.shift;
    }
}

// What is known is tested first; then comes the condition that is expected to leave the fewest
// matches.
void StateJoins::plan(Part &part, std::vector<SchemaAtom> positive,
                      std::vector<SchemaAtom> negative, int parameters) {
  std::vector<char> bound(static_cast<std::size_t>(parameters), 0);
  const auto test = [&](std::vector<SchemaAtom> &atoms, Step::Kind kind) {
    std::erase_if(atoms, [&](const SchemaAtom &atom) {
      const bool ready = all_bound(atom, bound);
      if (ready) {
        Step &step = part.steps.emplace_back();
        step.kind = kind;
        step.atom = atom;
      }
      return ready;
    });
  };
  while (true) {
    test(positive, Step::Kind::holds);
    test(negative, Step::Kind::fails);
    if (positive.empty())
      break;
    const auto next = std::min_element(
        positive.begin(), positive.end(), [&](const SchemaAtom &left, const SchemaAtom &right) {
          return expected_matches(left, bound) < expected_matches(right, bound);
        });
    part.steps.push_back(binding_step(*next, bound));
    positive.erase(next);
  }
  find_loose_parameters(part);
}

void StateJoins::find_loose_parameters(Part &part) const {
  const auto is_test = [](const Step &step) { return step.binds.empty(); };
  for (auto step = part.steps.begin(); step != part.steps.end(); ++step) {
    if (is_test(*step))
      continue;
    const auto rest = std::find_if_not(step + 1, part.steps.end(), is_test);
    step->tested = static_cast<std::size_t>(rest - part.steps.begin());
    for (const auto &[place, parameter] : step->binds) {
      const bool mentioned = std::any_of(rest, part.steps.end(), [&](const Step &later) {
        const auto &args = later.atom.args;
        return std::find(args.begin(), args.end(), parameter) != args.end();
      });
      (mentioned ? step->tied : step->loose).push_back(parameter);
    }
    std::sort(step->loose.begin(), step->loose.end());
  }
}

StateJoins::Step StateJoins::binding_step(const SchemaAtom &atom, std::vector<char> &bound) {
  Step step;
  step.kind = Step::Kind::scan;
  step.atom = atom;
  int most_objects = 0;
  for (int place = 0; place < static_cast<int>(atom.args.size()); ++place) {
    const int arg = atom.args[place];
    if (arg >= 0 && bound[arg] == 0)
      continue;
    const int objects = objects_at_[atom.predicate][place];
    if (objects > most_objects) {
      most_objects = objects;
      step.kind = Step::Kind::list;
      step.lists = lists_of(atom.predicate, place);
      step.key = arg;
    }
  }
  for (int place = 0; place < static_cast<int>(atom.args.size()); ++place) {
    const int arg = atom.args[place];
    if (arg < 0 || bound[arg] != 0) {
      step.checks.emplace_back(place, arg);
      continue;
    }
    step.binds.emplace_back(place, arg);
    bound[arg] = 1;
  }
  return step;
}

void StateJoins::count_objects(int predicate) {
  std::vector<char> seen;
  const TupleSet &tuples = tables_[predicate].tuples;
  for (int place = 0; place < tuples.arity(); ++place) {
    seen.assign(static_cast<std::size_t>(task_.unwritten->objects), 0);
    for (int atom = 0; atom < tuples.size(); ++atom)
      seen[tuples[atom][place]] = 1;
    objects_at_[predicate].push_back(
        static_cast<int>(std::count(seen.begin(), seen.end(), char{1})));
  }
}

double StateJoins::expected_matches(const SchemaAtom &atom, const std::vector<char> &bound) const {
  double result =
      is_fluent(atom.predicate) ? usual_[atom.predicate] : tables_[atom.predicate].tuples.size();
  for (int place = 0; place < static_cast<int>(atom.args.size()); ++place)
    if (atom.args[place] < 0 || bound[atom.args[place]] != 0)
      result /= std::max(1, objects_at_[atom.predicate][place]);
  return result;
}

int StateJoins::lists_of(int predicate, int place) {
  for (std::size_t i = 0; i < lists_.size(); ++i)
    if (lists_[i].predicate == predicate && lists_[i].place == place)
      return static_cast<int>(i);
  const TupleSet &tuples = tables_[predicate].tuples;
  const auto objects = static_cast<std::size_t>(task_.unwritten->objects);
  Lists lists{predicate, place, std::vector<int>(objects, -1),
              std::vector<int>(static_cast<std::size_t>(tuples.size()), -1),
              std::vector<std::uint32_t>(objects, 0)};
  if (is_fluent(predicate))
    lists_over_[predicate].push_back(static_cast<int>(lists_.size()));
  else
    for (int atom = tuples.size() - 1; atom >= 0; --atom)
      lists.next[atom] = std::exchange(lists.first[tuples[atom][place]], atom);
  lists_.push_back(std::move(lists));
  return static_cast<int>(lists_.size()) - 1;
}

} // namespace beeline
