#include "state/state_joins.h"

#include <algorithm>
#include <new>
#include <numeric>
#include <unordered_map>

#include "base/hashing.h"

namespace beeline {

namespace {

constexpr std::size_t most_applicable = std::size_t{1} << 22; // in one state

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

bool StateJoins::has_products(std::size_t fewest) const {
  for (std::size_t a = 0; a < actions_.size(); ++a) {
    const auto parts = std::count_if(actions_[a].parts.begin(), actions_[a].parts.end(),
                                     [](const Part &part) { return !part.parameters.empty(); });
    if (parts > 1 && task_.unwritten->actions[a].instances >= static_cast<double>(fewest))
      return true;
  }
  return false;
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
      return;
    const auto next = std::min_element(
        positive.begin(), positive.end(), [&](const SchemaAtom &left, const SchemaAtom &right) {
          return expected_matches(left, bound) < expected_matches(right, bound);
        });
    part.steps.push_back(match_step(*next, bound));
    positive.erase(next);
  }
}

StateJoins::Step StateJoins::match_step(const SchemaAtom &atom, std::vector<char> &bound) {
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

void StateJoins::file(int predicate, int atom) {
  true_[predicate].push_back(atom);
  const int *tuple = tables_[predicate].tuples[atom];
  for (int number : lists_over_[predicate]) {
    Lists &lists = lists_[number];
    const int object = tuple[lists.place];
    lists.next[atom] = lists.stamps[object] == stamp_ ? lists.first[object] : -1;
    lists.first[object] = atom;
    lists.stamps[object] = stamp_;
  }
}

void StateJoins::load() {
  if (std::exchange(loaded_, true))
    return;
  if (++stamp_ == 0) { // after four billion states
    for (Lists &lists : lists_)
      std::fill(lists.stamps.begin(), lists.stamps.end(), 0);
    stamp_ = 1;
  }
  for (std::vector<int> &atoms : true_)
    atoms.clear();
  looked_at_ += static_cast<std::int64_t>(variables_.size());
  for (int variable : variables_) {
    const Place place = atom_of_[task_.variables.offsets[variable] + packer_.get(state_, variable)];
    if (place.predicate >= 0)
      file(place.predicate, place.atom);
  }
  for (int p = 0; p < static_cast<int>(lasting_.size()); ++p)
    for (int atom : lasting_[p])
      file(p, atom);
}

bool StateJoins::answer(Action &action) {
  for (Part &part : action.parts) {
    bool same = std::exchange(part.answered, false);
    for (std::size_t i = 0; i < part.words.size(); ++i) {
      const Word now = state_[part.words[i]] & part.masks[i];
      same = std::exchange(part.seen[i], now) == now && same;
    }
    looked_at_ += static_cast<std::int64_t>(part.words.size());
    if (!same) {
      load();
      part.count = 0;
      part.answers.clear();
      match(part, 0);
    }
    part.answered = true;
    if (part.count == 0)
      return false;
  }
  return true;
}

// Notes the value of an atom that can change.
bool StateJoins::is_true(const SchemaAtom &atom, std::size_t depth) {
  const int number = task_.unwritten->find(atom, binding_.data());
  if (number < 0)
    return false;
  values_[depth] = tables_[atom.predicate].value(number);
  return values_[depth] == AtomTable::always || value_now(values_[depth]) == values_[depth];
}

bool StateJoins::bind(const Step &step, std::size_t depth, int atom) {
  ++looked_at_;
  values_[depth] = tables_[step.atom.predicate].value(atom);
  const int *tuple = tables_[step.atom.predicate].tuples[atom];
  for (const auto &[place, parameter] : step.binds)
    binding_[parameter] = tuple[place];
  return std::all_of(step.checks.begin(), step.checks.end(), [&](const auto &check) {
    const auto [place, arg] = check;
    return tuple[place] == (arg >= 0 ? binding_[arg] : ~arg);
  });
}

void StateJoins::match(Part &part, std::size_t depth) {
  if (depth == part.steps.size()) {
    ++part.count;
    if (part.count > most_applicable)
      throw std::bad_alloc();
    for (std::size_t i = 0; i < part.steps.size(); ++i)
      if (part.steps[i].kind != Step::Kind::fails && is_fluent(part.steps[i].atom.predicate))
        part.answers.push_back(values_[i]);
    std::sort(part.answers.end() - static_cast<std::ptrdiff_t>(part.conditions),
              part.answers.end());
    for (int parameter : part.parameters)
      part.answers.push_back(binding_[parameter]);
    return;
  }
  const Step &step = part.steps[depth];
  const int predicate = step.atom.predicate;
  switch (step.kind) {
  case Step::Kind::holds:
  case Step::Kind::fails:
    ++looked_at_;
    if (is_true(step.atom, depth) == (step.kind == Step::Kind::holds))
      match(part, depth + 1);
    return;
  case Step::Kind::scan:
    if (is_fluent(predicate)) {
      for (int atom : true_[predicate])
        if (bind(step, depth, atom))
          match(part, depth + 1);
    } else {
      for (int atom = 0; atom < tables_[predicate].tuples.size(); ++atom)
        if (bind(step, depth, atom))
          match(part, depth + 1);
    }
    return;
  case Step::Kind::list:
    const Lists &lists = lists_[step.lists];
    const int object = step.key >= 0 ? binding_[step.key] : ~step.key;
    if (is_fluent(predicate) && lists.stamps[object] != stamp_)
      return;
    for (int atom = lists.first[object]; atom >= 0; atom = lists.next[atom])
      if (bind(step, depth, atom))
        match(part, depth + 1);
    return;
  }
}

void StateJoins::applicable(const Word *state, std::vector<int> &operators) {
  state_ = state;
  loaded_ = false;
  for (std::size_t a = 0; a < actions_.size(); ++a)
    if (answer(actions_[a]))
      combine(a, false, operators);
}

std::int64_t StateJoins::applicable_kinds(const Word *state, std::span<const int> kinds,
                                          std::vector<int> &operators) {
  state_ = state;
  loaded_ = false;
  double left_out = 0;
  for (std::size_t a = 0; a < actions_.size(); ++a) {
    Action &action = actions_[a];
    if (!answer(action))
      continue;
    double all = 1, first_ones = 1;
    for (Part &part : action.parts) {
      find_first_ones(part, kinds);
      all *= static_cast<double>(part.count);
      first_ones *= static_cast<double>(part.first_ones.size());
    }
    const std::size_t before = operators.size();
    if (first_ones < all && combine(a, true, operators)) {
      left_out += all - static_cast<double>(operators.size() - before);
    } else {
      operators.resize(before);
      combine(a, false, operators);
    }
  }
  constexpr double most = 9e18;
  return static_cast<std::int64_t>(std::min(left_out, most));
}

// Of two answers of a kind that one comes first which does so by values, then by objects.
void StateJoins::find_first_ones(Part &part, std::span<const int> kinds) {
  part.first_ones.clear();
  std::unordered_map<std::uint64_t, std::size_t> known; // place in the list
  looked_at_ += static_cast<std::int64_t>(part.count);
  for (std::size_t number = 0; number < part.count; ++number) {
    const int *row = part.row(number);
    std::uint64_t hash = 1;
    for (std::size_t i = part.conditions; i < part.width(); ++i)
      hash = mix(hash + static_cast<std::uint64_t>(kinds[row[i]] + 3));
    const auto [place, is_new] = known.try_emplace(hash, part.first_ones.size());
    if (is_new) {
      part.first_ones.push_back(static_cast<int>(number));
      continue;
    }
    int &first = part.first_ones[place->second];
    const int *other = part.row(static_cast<std::size_t>(first));
    if (std::lexicographical_compare(row, row + part.width(), other, other + part.width()))
      first = static_cast<int>(number);
  }
}

bool StateJoins::combine(std::size_t number, bool first_ones, std::vector<int> &operators) {
  Action &action = actions_[number];
  double all = 1;
  for (const Part &part : action.parts)
    all *= static_cast<double>(first_ones ? part.first_ones.size() : part.count);
  if (all + static_cast<double>(operators.size()) > static_cast<double>(most_applicable))
    throw std::bad_alloc();
  std::vector<std::size_t> chosen(action.parts.size(), 0);
  const auto now = [this](int value) { return value_now(value); };
  while (true) {
    for (std::size_t p = 0; p < chosen.size(); ++p) {
      const Part &part = action.parts[p];
      const int *row =
          part.row(first_ones ? static_cast<std::size_t>(part.first_ones[chosen[p]]) : chosen[p]);
      for (std::size_t i = 0; i < part.parameters.size(); ++i)
        action.binding[part.parameters[i]] = row[part.conditions + i];
    }
    ++looked_at_;
    const int op =
        write_operator(task_, static_cast<int>(number), action.binding.data(), draft_, now);
    if (op >= 0)
      operators.push_back(op);
    else if (first_ones)
      return false;
    std::size_t p = 0;
    while (p < chosen.size() &&
           ++chosen[p] == (first_ones ? action.parts[p].first_ones.size() : action.parts[p].count))
      chosen[p++] = 0;
    if (p == chosen.size())
      return true;
  }
}

} // namespace beeline
