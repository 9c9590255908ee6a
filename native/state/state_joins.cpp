#include "state/state_joins.h"

#include <algorithm>
#include <functional>
#include <new>
#include <unordered_map>
#include <utility>

#include "base/hashing.h"

namespace beeline {

namespace {
constexpr std::size_t most_applicable = std::size_t{1} << 22; // in one state
} // namespace

bool StateJoins::has_products(std::size_t fewest) const {
  for (std::size_t a = 0; a < actions_.size(); ++a) {
    const auto parts = std::count_if(actions_[a].parts.begin(), actions_[a].parts.end(),
                                     [](const Part &part) { return !part.parameters.empty(); });
    if (parts > 1 && task_.unwritten->actions[a].instances >= static_cast<double>(fewest))
      return true;
  }
  return false;
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

bool StateJoins::answer(Action &action, std::span<const int> kinds) {
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
      part.all = 0;
      part.answers.clear();
      kinds_ = kinds;
      weight_ = 1;
      match(part, 0);
    }
    part.answered = part.all == static_cast<double>(part.count);
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

template <typename Found>
void StateJoins::match_step(const Step &step, std::size_t depth, Found &&found) {
  const int predicate = step.atom.predicate;
  const auto look_at = [&](int atom) {
    if (bind(step, depth, atom))
      found();
  };
  if (step.kind == Step::Kind::list) {
    const Lists &lists = lists_[step.lists];
    const int object = step.key >= 0 ? binding_[step.key] : ~step.key;
    if (is_fluent(predicate) && lists.stamps[object] != stamp_)
      return;
    for (int atom = lists.first[object]; atom >= 0; atom = lists.next[atom])
      look_at(atom);
  } else if (is_fluent(predicate)) {
    for (int atom : true_[predicate])
      look_at(atom);
  } else {
    for (int atom = 0; atom < tables_[predicate].tuples.size(); ++atom)
      look_at(atom);
  }
}

void StateJoins::match(Part &part, std::size_t depth) {
  if (depth == part.steps.size()) {
    ++part.count;
    part.all += weight_;
    if (part.count > most_applicable)
      throw std::bad_alloc();
    for (std::size_t i = 0; i < part.steps.size(); ++i)
      if (is_answered(part.steps[i]))
        part.answers.push_back(values_[i]);
    std::sort(part.answers.end() - static_cast<std::ptrdiff_t>(part.conditions),
              part.answers.end());
    for (int parameter : part.parameters)
      part.answers.push_back(binding_[parameter]);
    return;
  }
  const Step &step = part.steps[depth];
  if (step.kind == Step::Kind::holds || step.kind == Step::Kind::fails) {
    ++looked_at_;
    if (is_true(step.atom, depth) == (step.kind == Step::Kind::holds))
      match(part, depth + 1);
  } else if (step.loose.empty() || kinds_.empty()) {
    match_step(step, depth, [&] { match(part, depth + 1); });
  } else {
    match_kinds(part, depth);
  }
}

// What comes later does not depend on loose parameters. Matches that differ in nothing but these,
// and whose objects are of the same kinds, lead to answers of the same kinds, and the first of them
// to the first answer, so that alone is followed.
void StateJoins::match_kinds(Part &part, std::size_t depth) {
  const Step &step = part.steps[depth];
  std::vector<int> firsts, match_now; // values of conditions, ascending, then objects
  std::vector<double> counts;         // of matches that a first one stands for
  std::unordered_map<std::uint64_t, std::size_t> known; // places in `counts`
  match_step(step, depth, [&] {
    match_now.clear();
    for (std::size_t i = depth; i < step.tested; ++i) {
      const Step &test = part.steps[i];
      if (i > depth) {
        ++looked_at_;
        if (is_true(test.atom, i) != (test.kind == Step::Kind::holds))
          return;
      }
      if (is_answered(test))
        match_now.push_back(values_[i]);
    }
    std::sort(match_now.begin(), match_now.end());
    std::uint64_t hash = 1;
    for (int parameter : step.loose) {
      match_now.push_back(binding_[parameter]);
      hash = mix(hash + static_cast<std::uint64_t>(kinds_[binding_[parameter]] + 3));
    }
    for (int parameter : step.tied) {
      match_now.push_back(binding_[parameter]);
      hash = mix(hash + static_cast<std::uint64_t>(binding_[parameter]));
    }
    const auto [entry, is_new] = known.try_emplace(hash, counts.size());
    if (is_new) {
      firsts.insert(firsts.end(), match_now.begin(), match_now.end());
      counts.push_back(1);
      return;
    }
    ++counts[entry->second];
    const auto first =
        firsts.begin() + static_cast<std::ptrdiff_t>(entry->second * match_now.size());
    if (std::lexicographical_compare(match_now.begin(), match_now.end(), first,
                                     first + static_cast<std::ptrdiff_t>(match_now.size())))
      std::copy(match_now.begin(), match_now.end(), first);
  });
  const int *next = firsts.data();
  for (double count : counts) {
    for (std::size_t i = depth; i < step.tested; ++i)
      if (is_answered(part.steps[i]))
        values_[i] = *next++;
    for (const auto &parameters : {std::cref(step.loose), std::cref(step.tied)})
      for (int parameter : parameters.get())
        binding_[parameter] = *next++;
    const double weight = std::exchange(weight_, weight_ * count);
    match(part, step.tested);
    weight_ = weight;
  }
}

void StateJoins::applicable(const Word *state, std::vector<int> &operators) {
  state_ = state;
  loaded_ = false;
  for (std::size_t a = 0; a < actions_.size(); ++a)
    if (answer(actions_[a], {}))
      combine(a, false, operators);
}

std::int64_t StateJoins::applicable_kinds(const Word *state, std::span<const int> kinds,
                                          std::vector<int> &operators) {
  state_ = state;
  loaded_ = false;
  double left_out = 0;
  for (std::size_t a = 0; a < actions_.size(); ++a) {
    Action &action = actions_[a];
    if (!answer(action, kinds))
      continue;
    double all = 1, first_ones = 1;
    for (Part &part : action.parts) {
      find_first_ones(part, kinds);
      all *= part.all;
      first_ones *= static_cast<double>(part.first_ones.size());
    }
    const std::size_t before = operators.size();
    if (first_ones < all && combine(a, true, operators)) {
      left_out += all - static_cast<double>(operators.size() - before);
    } else {
      operators.resize(before);
      answer(action, {});
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
