#include "state/object_symmetry.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "base/hashing.h"

namespace beeline {

namespace {

constexpr std::size_t most_operators = 4'000'000;
constexpr std::size_t most_entries = 20'000'000; // of operators by object
constexpr std::uint64_t largest_number = std::uint64_t{1} << 62;
constexpr int most_passes = 4; // over all classes, for one state

bool mentions(std::span<const int> args, int object) {
  return std::find(args.begin(), args.end(), object) != args.end();
}

} // namespace

ObjectSymmetry::ObjectSymmetry(const GroundTask &task, const StatePacker &packer)
    : task_(task), packer_(packer) {
  if (task.unwritten || !task.axioms.empty() || task.operators.size() > most_operators)
    return;
  list_atoms();
  if (list_operators()) {
    images_.resize(static_cast<std::size_t>(task.variables.values()));
    std::iota(images_.begin(), images_.end(), 0);
    std::map<std::vector<int>, std::vector<int>> alike;
    for (int object = 0; object < static_cast<int>(about_.size()); ++object)
      if (!about_[object].empty())
        alike[said_about(object)].push_back(object);
    std::vector<int> variables;
    for (const auto &[said, objects] : alike) {
      std::vector<std::vector<int>> found;
      for (int object : objects) {
        const auto place = std::find_if(found.begin(), found.end(), [&](const auto &members) {
          const bool same = exchange(members.front(), object, variables);
          if (same)
            forget(variables);
          return same;
        });
        if (place == found.end())
          found.push_back({object});
        else
          place->push_back(object);
      }
      for (const std::vector<int> &members : found)
        if (members.size() > 1)
          add_class(members);
    }
  }
  // Large classes first: they are what makes states differ.
  std::stable_sort(classes_.begin(), classes_.end(), [](const Class &left, const Class &right) {
    return left.objects.size() > right.objects.size();
  });
  atoms_ = {};
  facts_ = about_ = operators_ = {};
  shapes_ = {};
  images_ = {};
}

void ObjectSymmetry::list_atoms() {
  int predicates = 0, objects = 0;
  const int facts = static_cast<int>(task_.fact_predicates.size());
  for (int fact = 0; fact < facts; ++fact) {
    predicates = std::max(predicates, task_.fact_predicates[fact] + 1);
    for (int object : task_.fact_args[fact])
      objects = std::max(objects, object + 1);
  }
  std::vector<int> arities(static_cast<std::size_t>(predicates), 0);
  for (int fact = 0; fact < facts; ++fact)
    arities[task_.fact_predicates[fact]] = static_cast<int>(task_.fact_args[fact].size());
  for (int arity : arities)
    atoms_.emplace_back(arity, std::max(1, objects));
  facts_.resize(static_cast<std::size_t>(predicates));
  about_.resize(static_cast<std::size_t>(objects));
  for (int fact = 0; fact < facts; ++fact) {
    const int predicate = task_.fact_predicates[fact];
    const auto args = task_.fact_args[fact];
    atoms_[predicate].insert(args.data());
    facts_[predicate].push_back(fact);
    for (std::size_t i = 0; i < args.size(); ++i)
      if (task_.fact_values[fact] >= 0 && !mentions(args.first(i), args[i]))
        about_[args[i]].push_back(fact);
  }
}

bool ObjectSymmetry::list_operators() {
  const Variables &variables = task_.variables;
  // Objects that a value is about; one that is no atom is about all that its variable is about.
  std::vector<std::vector<int>> about_value(static_cast<std::size_t>(variables.values()));
  for (int value = 0; value < variables.values(); ++value)
    if (const int fact = variables.fact_of[value]; fact >= 0)
      about_value[value].assign(task_.fact_args[fact].begin(), task_.fact_args[fact].end());
  for (int value = 0; value < variables.values(); ++value) {
    if (variables.fact_of[value] >= 0)
      continue;
    const int variable = variables.variable_of[value];
    std::vector<int> &all = about_value[value];
    for (int other = variables.offsets[variable]; other < variables.offsets[variable + 1]; ++other)
      if (other != value)
        all.insert(all.end(), about_value[other].begin(), about_value[other].end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }
  operators_.resize(about_.size());
  std::size_t entries = 0;
  for (int op = 0; op < static_cast<int>(task_.operators.size()); ++op) {
    const auto list = [&](int value) {
      for (int object : about_value[value])
        if (operators_[object].empty() || operators_[object].back() != op) {
          operators_[object].push_back(op);
          ++entries;
        }
    };
    for (int value : task_.operators.conditions[op])
      list(value);
    for (const Effect &effect : task_.operators.effects[op]) {
      list(effect.value);
      if (effect.guard >= 0)
        list(effect.guard);
      for (int value : task_.operators.condition_of(effect))
        list(value);
    }
    if (entries > most_entries)
      return false;
    const std::vector<int> words = shape(op, false);
    shapes_.emplace_back(hash_ints(words.data(), static_cast<int>(words.size())), op);
  }
  std::sort(shapes_.begin(), shapes_.end());
  return true;
}

// What objects must have in common to be exchanged: numbers of atoms and operators, and goals.
std::vector<int> ObjectSymmetry::said_about(int object) const {
  std::vector<std::vector<int>> goals;
  std::map<std::pair<int, int>, int> places;
  for (int fact : about_[object]) {
    const auto args = task_.fact_args[fact];
    for (int i = 0; i < static_cast<int>(args.size()); ++i)
      if (args[i] == object)
        ++places[{task_.fact_predicates[fact], i}];
    if (!std::binary_search(task_.goal.begin(), task_.goal.end(), task_.fact_values[fact]))
      continue;
    goals.push_back({task_.fact_predicates[fact]});
    for (int arg : args)
      goals.back().push_back(arg == object ? -1 : arg);
  }
  std::sort(goals.begin(), goals.end());
  std::vector<int> result{static_cast<int>(operators_[object].size())};
  for (const auto &[place, count] : places)
    result.insert(result.end(), {place.first, place.second, count});
  for (const std::vector<int> &goal : goals) {
    result.push_back(-2);
    result.insert(result.end(), goal.begin(), goal.end());
  }
  return result;
}

bool ObjectSymmetry::exchange(int left, int right, std::vector<int> &variables) {
  variables.clear();
  for (int object : {left, right})
    for (int fact : about_[object])
      variables.push_back(task_.variables.variable_of[task_.fact_values[fact]]);
  std::sort(variables.begin(), variables.end());
  variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
  const auto is_goal = [&](int value) {
    return std::binary_search(task_.goal.begin(), task_.goal.end(), value);
  };
  const bool found = map_variables(left, right, variables) &&
                     std::all_of(task_.goal.begin(), task_.goal.end(),
                                 [&](int value) { return is_goal(images_[value]); }) &&
                     maps_operators(left, right);
  if (!found)
    forget(variables);
  return found;
}

bool ObjectSymmetry::map_variables(int left, int right, const std::vector<int> &variables) {
  const Variables &all = task_.variables;
  std::vector<int> atom;
  for (int variable : variables) {
    int target = -1;
    for (int value = all.offsets[variable]; value < all.offsets[variable + 1]; ++value) {
      const int fact = all.fact_of[value];
      if (fact < 0)
        continue;
      const auto args = task_.fact_args[fact];
      atom.assign(args.begin(), args.end());
      for (int &arg : atom)
        arg = arg == left ? right : arg == right ? left : arg;
      const int predicate = task_.fact_predicates[fact];
      const int number = atoms_[predicate].find(atom.data());
      const int image = number < 0 ? -1 : task_.fact_values[facts_[predicate][number]];
      if (image < 0 || (target >= 0 && all.variable_of[image] != target))
        return false;
      target = all.variable_of[image];
      images_[value] = image;
    }
    if (target < 0 || all.domain_size(target) != all.domain_size(variable))
      return false;
    for (int value = all.offsets[variable]; value < all.offsets[variable + 1]; ++value) {
      if (all.fact_of[value] >= 0)
        continue;
      const int image = all.offsets[target] + value - all.offsets[variable];
      if (all.fact_of[image] >= 0)
        return false;
      images_[value] = image;
    }
  }
  return true;
}

bool ObjectSymmetry::maps_operators(int left, int right) const {
  for (int object : {left, right})
    for (int op : operators_[object]) {
      const std::vector<int> words = shape(op, true);
      const std::size_t hash = hash_ints(words.data(), static_cast<int>(words.size()));
      auto place = std::lower_bound(shapes_.begin(), shapes_.end(), std::pair{hash, -1});
      while (place != shapes_.end() && place->first == hash && shape(place->second, false) != words)
        ++place;
      if (place == shapes_.end() || place->first != hash)
        return false;
    }
  return true;
}

// Cost, conditions and effects, or what they become by images_; equal for operators that do the
// same.
std::vector<int> ObjectSymmetry::shape(int op, bool mapped) const {
  const auto of = [&](int value) { return mapped && value >= 0 ? images_[value] : value; };
  const auto cost = static_cast<std::uint64_t>(task_.operators.costs[op]);
  std::vector<int> result{static_cast<int>(cost >> 32U), static_cast<int>(cost & 0xffffffffU)};
  const auto append = [&](std::span<const int> values) {
    const auto before = static_cast<std::ptrdiff_t>(result.size());
    for (int value : values)
      result.push_back(of(value));
    std::sort(result.begin() + before, result.end());
  };
  append(task_.operators.conditions[op]);
  std::vector<std::vector<int>> effects;
  for (const Effect &effect : task_.operators.effects[op]) {
    std::vector<int> words = std::exchange(result, {});
    append(task_.operators.condition_of(effect));
    result.insert(result.end(), {of(effect.guard), of(effect.value)});
    effects.push_back(std::exchange(result, std::move(words)));
  }
  std::sort(effects.begin(), effects.end());
  for (const std::vector<int> &effect : effects) {
    result.push_back(-2);
    result.insert(result.end(), effect.begin(), effect.end());
  }
  return result;
}

void ObjectSymmetry::forget(const std::vector<int> &variables) {
  for (int variable : variables)
    for (int value = task_.variables.offsets[variable];
         value < task_.variables.offsets[variable + 1]; ++value)
      images_[value] = value;
}

void ObjectSymmetry::add_class(const std::vector<int> &objects) {
  const int first = objects.front();
  Class made{objects, {}};
  std::vector<int> own; // variables of the first object
  for (int fact : about_[first]) {
    const auto args = task_.fact_args[fact];
    if (std::count_if(args.begin(), args.end(), [&](int arg) {
          return std::find(objects.begin(), objects.end(), arg) != objects.end();
        }) != 1)
      return;
    own.push_back(task_.variables.variable_of[task_.fact_values[fact]]);
  }
  std::sort(own.begin(), own.end());
  own.erase(std::unique(own.begin(), own.end()), own.end());
  // Per variable and object: values and what they become when it takes the first one's place.
  std::vector<std::vector<std::vector<std::pair<int, int>>>> images(own.size());
  std::vector<int> variables;
  for (int object : objects) {
    if (object != first)
      exchange(first, object, variables);
    for (std::size_t i = 0; i < own.size(); ++i) {
      auto &list = images[i].emplace_back();
      for (int value = task_.variables.offsets[own[i]]; value < task_.variables.offsets[own[i] + 1];
           ++value)
        list.emplace_back(value, images_[value]);
    }
    if (object != first)
      forget(variables);
  }
  std::uint64_t numbers = 1;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (!add_role(made, own[i], images[i]) || made.roles.back().radix > largest_number / numbers)
      return;
    numbers *= made.roles.back().radix;
  }
  classes_.push_back(std::move(made));
}

bool ObjectSymmetry::add_role(Class &made, int variable,
                              const std::vector<std::vector<std::pair<int, int>>> &images) const {
  const Variables &all = task_.variables;
  Role role;
  for (const auto &list : images)
    role.variables.push_back(all.variable_of[list.front().second]);
  std::vector<int> targets = role.variables;
  std::sort(targets.begin(), targets.end());
  const auto different = std::unique(targets.begin(), targets.end()) - targets.begin();
  role.shared = different == 1;
  if (!role.shared && different != static_cast<std::ptrdiff_t>(targets.size()))
    return false;
  for (std::size_t i = 0; i < images.size(); ++i) {
    std::vector<int> &values = role.values.emplace_back();
    std::vector<int> &codes =
        role.codes.emplace_back(static_cast<std::size_t>(all.domain_size(role.variables[i])), 0);
    for (const auto &[value, image] : images[i]) {
      const int fact = all.fact_of[value];
      const bool told = fact >= 0 && mentions(task_.fact_args[fact], made.objects.front());
      if (role.shared && !told)
        continue;
      values.push_back(image - all.offsets[role.variables[i]]);
      codes[values.back()] = static_cast<int>(values.size()) - (role.shared ? 0 : 1);
    }
  }
  const auto count = static_cast<std::uint64_t>(role.values.front().size());
  role.radix = role.shared ? count + 1 : count;
  made.roles.push_back(std::move(role));
  return variable == made.roles.back().variables.front();
}

std::vector<std::vector<int>> ObjectSymmetry::classes() const {
  std::vector<std::vector<int>> result;
  for (const Class &each : classes_)
    result.push_back(each.objects);
  return result;
}

ObjectSymmetry::Renaming ObjectSymmetry::identity() const {
  Renaming result;
  for (const Class &each : classes_) {
    result.emplace_back(each.objects.size());
    std::iota(result.back().begin(), result.back().end(), 0);
  }
  return result;
}

std::uint64_t ObjectSymmetry::number(const Class &each, std::size_t object,
                                     const Word *state) const {
  std::uint64_t result = 0;
  for (const Role &role : each.roles) {
    const int value = packer_.get(state, role.variables[object]);
    result = result * role.radix + static_cast<std::uint64_t>(role.codes[object][value]);
  }
  return result;
}

void ObjectSymmetry::write(const Class &each, std::size_t object, std::uint64_t number,
                           Word *state) const {
  for (auto role = each.roles.rbegin(); role != each.roles.rend(); ++role) {
    const auto code = static_cast<std::size_t>(number % role->radix);
    number /= role->radix;
    if (!role->shared)
      set(state, role->variables[object], role->values[object][code]);
    else if (code > 0) // or this variable is about another object, or none
      set(state, role->variables[object], role->values[object][code - 1]);
  }
}

void ObjectSymmetry::sort(Word *state, Renaming *renaming) {
  bool changed = true;
  for (int pass = 0; changed && pass < most_passes; ++pass) {
    changed = false;
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      const Class &each = classes_[c];
      numbers_.clear();
      for (std::size_t i = 0; i < each.objects.size(); ++i)
        numbers_.emplace_back(number(each, i, state), static_cast<int>(i));
      if (std::is_sorted(numbers_.begin(), numbers_.end()))
        continue;
      changed = true;
      std::sort(numbers_.begin(), numbers_.end());
      for (std::size_t i = 0; i < numbers_.size(); ++i)
        write(each, i, numbers_[i].first, state);
      if (renaming == nullptr)
        continue;
      std::vector<int> now(numbers_.size());
      for (std::size_t i = 0; i < numbers_.size(); ++i)
        now[numbers_[i].second] = static_cast<int>(i);
      for (int &place : (*renaming)[c])
        place = now[place];
    }
  }
}

void ObjectSymmetry::rename_back(Word *state, const Renaming &renaming) {
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    const Class &each = classes_[c];
    numbers_.clear();
    for (std::size_t i = 0; i < each.objects.size(); ++i)
      numbers_.emplace_back(number(each, i, state), 0);
    for (std::size_t i = 0; i < each.objects.size(); ++i)
      write(each, i, numbers_[static_cast<std::size_t>(renaming[c][i])].first, state);
  }
}

} // namespace beeline
