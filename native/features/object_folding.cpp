#include "features/object_folding.h"

#include <algorithm>
#include <limits>
#include <map>

#include "base/hashing.h"

namespace beeline {

namespace {

// What an object is in the task: its colour, then each predicate and place where it may occur.
using Role = std::vector<int>;

std::vector<int> roles_of(const ColourGraph &graph, int &count) {
  std::vector<Role> occurs(static_cast<std::size_t>(graph.objects()));
  for (int atom = 0; atom < graph.atoms(); ++atom) {
    int place = graph.predicate_of(atom) * max_arity;
    for (int object : graph.args(atom)) {
      Role &role = occurs[object];
      if (std::find(role.begin(), role.end(), place) == role.end())
        role.push_back(place);
      ++place;
    }
  }
  std::map<Role, int> numbers;
  std::vector<int> result;
  for (int object = 0; object < graph.objects(); ++object) {
    Role &role = occurs[object];
    std::sort(role.begin(), role.end());
    role.push_back(graph.object_colours()[object]);
    result.push_back(numbers.try_emplace(role, static_cast<int>(numbers.size())).first->second);
  }
  count = static_cast<int>(numbers.size());
  return result;
}

} // namespace

// Roles that never meet in an atom, the most frequent ones first.
ObjectFolding::ObjectFolding(const ColourGraph &graph, int fewest_objects)
    : graph_(graph), always_(fewest_objects == 0) {
  constexpr int most_roles = 64;
  if (graph.objects() < fewest_objects || graph.chains_from() != graph.atoms())
    return;
  int roles = 0;
  const std::vector<int> role_of = roles_of(graph, roles);
  if (roles > most_roles)
    return;
  std::vector<std::uint64_t> meets(static_cast<std::size_t>(roles), 0);
  for (int atom = 0; atom < graph.atoms(); ++atom) {
    const auto args = graph.args(atom);
    for (std::size_t i = 0; i < args.size(); ++i)
      for (std::size_t j = 0; j < args.size(); ++j)
        if (i != j)
          meets[role_of[args[i]]] |= std::uint64_t{1} << role_of[args[j]];
  }
  std::vector<std::pair<int, int>> by_size; // number of objects, role
  for (int role = 0; role < roles; ++role)
    by_size.emplace_back(std::count(role_of.begin(), role_of.end(), role), role);
  std::sort(by_size.rbegin(), by_size.rend());
  std::uint64_t chosen = 0;
  int objects = 0;
  for (const auto &[size, role] : by_size) {
    const std::uint64_t bit = std::uint64_t{1} << role;
    if ((size == 1 && !always_) || (meets[role] & (chosen | bit)) != 0)
      continue;
    chosen |= bit;
    objects += size;
  }
  if (objects < std::max(1, fewest_objects))
    return;
  foldable_.resize(static_cast<std::size_t>(graph.objects()));
  for (int object = 0; object < graph.objects(); ++object)
    foldable_[object] = static_cast<char>(chosen >> role_of[object] & 1);
  looks_.resize(foldable_.size());
  for (std::size_t object = 0; object < looks_.size(); ++object)
    looks_[object] = mix(static_cast<std::uint64_t>(graph.object_colours()[object]) + 1);
  order_.assign(foldable_.size(), std::numeric_limits<int>::max());
  for (int fact = graph.facts(); fact-- > 0;)
    if (const int object = object_of(fact); object >= 0)
      order_[object] = std::min(order_[object], graph.task().fact_values[fact]);
  // No two alike: those without a fact come last, by number.
  std::vector<int> sorted(foldable_.size());
  for (std::size_t i = 0; i < sorted.size(); ++i)
    sorted[i] = static_cast<int>(i);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [this](int left, int right) { return order_[left] < order_[right]; });
  for (std::size_t i = 0; i < sorted.size(); ++i)
    order_[sorted[i]] = static_cast<int>(i);
}

std::uint64_t ObjectFolding::look(int atom, int base) const {
  std::uint64_t hash = mix(static_cast<std::uint64_t>(base) + 1);
  for (int object : graph_.args(atom)) {
    const int other = foldable_[object] != 0 ? -1 : object;
    hash = mix(hash + static_cast<std::uint64_t>(other + 2));
  }
  return hash;
}

void ObjectFolding::change_look(int object, int atom, int before, int after) {
  if (before != absent)
    looks_[object] -= look(atom, before);
  if (after != absent)
    looks_[object] += look(atom, after);
}

bool ObjectFolding::begin() {
  constexpr std::ptrdiff_t least_gain = 4;
  std::vector<std::uint64_t> looks;
  for (std::size_t object = 0; object < foldable_.size(); ++object)
    if (foldable_[object] != 0)
      looks.push_back(looks_[object]);
  const auto objects = static_cast<std::ptrdiff_t>(looks.size());
  std::sort(looks.begin(), looks.end());
  const auto classes = std::unique(looks.begin(), looks.end()) - looks.begin();
  if (!always_ && classes * least_gain > objects) {
    foldable_.clear();
    return false;
  }
  copies_.assign(foldable_.size(), 1);
  class_of_.assign(foldable_.size(), -1);
  alone_.assign(foldable_.size(), 0);
  for (std::size_t object = 0; object < foldable_.size(); ++object)
    if (foldable_[object] != 0) {
      const int number = class_of_[object] = class_like(looks_[object]);
      copies_[object] = 0;
      classes_[number].insert(static_cast<int>(object));
    }
  for (const Members &members : classes_)
    copies_[*members.begin()] = static_cast<int>(members.size());
  return true;
}

int ObjectFolding::class_like(std::uint64_t look) {
  const auto [entry, is_new] = known_.try_emplace(look, static_cast<int>(classes_.size()));
  if (is_new)
    classes_.emplace_back(ByOrder{&order_});
  return entry->second;
}

void ObjectFolding::append_leaders(std::vector<int> &objects) const {
  for (const Members &members : classes_)
    if (!members.empty())
      objects.push_back(*members.begin());
}

std::pair<int, int> ObjectFolding::stand_alone(int object) {
  Members &members = classes_[class_of_[object]];
  const int leader = *members.begin();
  members.erase(object);
  alone_[object] = 1;
  if (members.empty())
    return {object, object};
  if (leader != object) {
    --copies_[leader];
    copies_[object] = 1;
    return {leader, object};
  }
  const int next = *members.begin();
  copies_[next] = copies_[object] - 1;
  copies_[object] = 1;
  return {object, next};
}

int ObjectFolding::take_back(int object) { return insert(object); }

int ObjectFolding::join(int object) {
  class_of_[object] = class_like(looks_[object]);
  return insert(object);
}

int ObjectFolding::insert(int object) {
  Members &members = classes_[class_of_[object]];
  const int leader = members.empty() ? -1 : *members.begin();
  members.insert(object);
  alone_[object] = 0;
  if (leader < 0)
    return -1;
  const bool leads = *members.begin() == object;
  const int kept = leads ? object : leader, other = leads ? leader : object;
  copies_[kept] = copies_[leader] + 1;
  copies_[other] = 0;
  return other;
}

} // namespace beeline
