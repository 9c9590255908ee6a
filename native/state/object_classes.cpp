#include "state/object_classes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/hashing.h"
#include "base/tuple_set.h"

namespace beeline {

namespace {

constexpr std::size_t most_operators = 4'000'000;
constexpr std::size_t most_entries = 20'000'000; // of operators by object
constexpr std::uint64_t largest_number = std::uint64_t{1} << 62;

bool mentions(std::span<const int> args, int object) {
  return std::find(args.begin(), args.end(), object) != args.end();
}

class Finder {
public:
  explicit Finder(const GroundTask &task) : task_(task) {}

  std::vector<ObjectClass> find();

private:
  void list_atoms();
  bool list_operators(); // false if there are too many
  std::vector<int> said_about(int object) const;
  // Fills images_ for the values of `variables`, those that atoms about one of the two are in;
  // whether that is a symmetry of the task. Otherwise images_ is as it was.
  bool exchange(int left, int right, std::vector<int> &variables);
  bool map_variables(int left, int right, const std::vector<int> &variables);
  bool maps_operators(int left, int right) const;
  std::vector<int> shape(int op, bool mapped) const;
  void forget(const std::vector<int> &variables);
  void add_class(const std::vector<int> &objects);
  bool add_role(ObjectClass &made, int variable,
                const std::vector<std::vector<std::pair<int, int>>> &images) const;

  const GroundTask &task_;
  std::vector<ObjectClass> classes_;
  std::vector<TupleSet> atoms_;                     // per predicate
  std::vector<std::vector<int>> facts_;             // per predicate and atom
  std::vector<std::vector<int>> about_;             // per object: facts
  std::vector<std::vector<int>> operators_;         // per object: those that it may matter for
  std::vector<std::pair<std::size_t, int>> shapes_; // hashes and operators, sorted
  std::vector<int> images_;                         // per value
};

std::vector<ObjectClass> Finder::find() {
  list_atoms();
  if (!list_operators())
    return {};
  images_.resize(static_cast<std::size_t>(task_.variables.values()));
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
  // Large classes first: they are what makes states differ.
  std::stable_sort(classes_.begin(), classes_.end(), [](const auto &left, const auto &right) {
    return left.objects.size() > right.objects.size();
  });
  return std::move(classes_);
}

void Finder::list_atoms() {
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

bool Finder::list_operators() {
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
std::vector<int> Finder::said_about(int object) const {
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

bool Finder::exchange(int left, int right, std::vector<int> &variables) {
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

bool Finder::map_variables(int left, int right, const std::vector<int> &variables) {
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

bool Finder::maps_operators(int left, int right) const {
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
std::vector<int> Finder::shape(int op, bool mapped) const {
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

void Finder::forget(const std::vector<int> &variables) {
  for (int variable : variables)
    for (int value = task_.variables.offsets[variable];
         value < task_.variables.offsets[variable + 1]; ++value)
      images_[value] = value;
}

void Finder::add_class(const std::vector<int> &objects) {
  const int first = objects.front();
  ObjectClass made{objects, {}};
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

bool Finder::add_role(ObjectClass &made, int variable,
                      const std::vector<std::vector<std::pair<int, int>>> &images) const {
  const Variables &all = task_.variables;
  ObjectRole role;
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

} // namespace

std::vector<ObjectClass> object_classes(const GroundTask &task) {
  if (task.unwritten || !task.axioms.empty() || task.operators.size() > most_operators)
    return {};
  return Finder(task).find();
}

} // namespace beeline
