#include "features/colour_graph.h"

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>

namespace beeline {

namespace {

using AtomKey = std::vector<int>; // predicate, arguments

AtomKey key_of(const LiftedAtom &atom) {
  AtomKey key{atom.predicate};
  key.insert(key.end(), atom.args.begin(), atom.args.end());
  return key;
}

} // namespace

ColourGraph::ColourGraph(const GroundTask &task, std::vector<int> object_colours, int object_kinds,
                         const std::vector<int> &predicates,
                         const std::vector<LiftedAtom> &constant_atoms,
                         const std::vector<LiftedAtom> &goal,
                         const std::vector<LiftedAtom> &negative_goal)
    : task_(task), object_colours_(std::move(object_colours)), object_kinds_(object_kinds) {
  for (int colour : object_colours_)
    if (colour < 0 || colour >= object_kinds)
      throw std::invalid_argument("an object has a colour that is no kind of object");
  base_colours_ = object_kinds;
  const auto colour = [object_kinds, this](int predicate, AtomStatus status) {
    if (predicate < 0)
      throw std::invalid_argument("an atom has no predicate");
    const int first = object_kinds + predicate * atom_statuses;
    base_colours_ = std::max(base_colours_, first + atom_statuses);
    return first + static_cast<int>(status);
  };
  const auto check = [this](std::span<const int> args) {
    if (args.size() > static_cast<std::size_t>(max_arity))
      throw std::invalid_argument("a predicate has more than 16 arguments");
    for (int object : args)
      if (object < 0 || object >= objects())
        throw std::invalid_argument("an atom names an object that does not exist");
  };
  enum class Wish { none, wanted, unwanted };
  std::map<AtomKey, Wish> wishes;
  for (const LiftedAtom &atom : goal)
    wishes[key_of(atom)] = Wish::wanted;
  for (const LiftedAtom &atom : negative_goal)
    wishes[key_of(atom)] = Wish::unwanted;

  const auto status_if_true = [](Wish wish) {
    return wish == Wish::none     ? AtomStatus::plain
           : wish == Wish::wanted ? AtomStatus::goal_reached
                                  : AtomStatus::must_vanish;
  };
  const auto status_if_false = [](Wish wish) {
    return wish == Wish::wanted ? AtomStatus::goal_open : AtomStatus::gone;
  };

  AtomKey key;
  const int facts = static_cast<int>(task.fact_values.size());
  for (int fact = 0; fact < facts; ++fact) {
    const auto args = task.fact_args[fact];
    check(args);
    args_.add_row(args);
    const int predicate = predicates.at(task.fact_predicates[fact]);
    if (predicate < 0) {
      if_true_.push_back(absent);
      if_false_.push_back(absent);
      continue;
    }
    key.assign(1, predicate);
    key.insert(key.end(), args.begin(), args.end());
    Wish wish = Wish::none;
    if (const auto found = wishes.find(key); found != wishes.end()) {
      wish = found->second;
      wishes.erase(found);
      goal_facts_.push_back(fact);
    }
    if_true_.push_back(colour(predicate, status_if_true(wish)));
    if_false_.push_back(wish == Wish::none ? absent : colour(predicate, status_if_false(wish)));
  }
  for (const LiftedAtom &atom : constant_atoms) {
    check(atom.args);
    args_.add_row(atom.args);
    Wish wish = Wish::none;
    if (const auto found = wishes.find(key_of(atom)); found != wishes.end()) {
      wish = found->second;
      wishes.erase(found);
    }
    constant_colours_.push_back(colour(atom.predicate, status_if_true(wish)));
  }
  for (const auto &[left, wish] : wishes) { // goals that can never be true
    const std::span<const int> args{left.data() + 1, left.size() - 1};
    check(args);
    args_.add_row(args);
    constant_colours_.push_back(colour(left[0], status_if_false(wish)));
  }
}

void ColourGraph::add_chains(const std::vector<std::pair<int, int>> &goals, int predicate) {
  constexpr std::size_t most = 4'000'000;
  for (const auto &[left, right] : goals)
    if (std::min(left, right) < 0 || std::max(left, right) >= objects())
      throw std::invalid_argument("a goal names an object that does not exist");
  if (predicate < 0 || !chains_.empty())
    throw std::invalid_argument("chains need a predicate, and are added once");
  struct Link {
    int other, atom;
  };
  std::vector<std::vector<Link>> links(object_colours_.size());
  const int atoms_before = atoms();
  for (int atom = 0; atom < atoms_before; ++atom) {
    const auto its = args(atom);
    const bool is_node = atom >= facts() || if_true_[atom] != absent;
    if (!is_node || its.size() != 2 || its[0] == its[1])
      continue;
    links[its[0]].push_back({its[1], atom});
    links[its[1]].push_back({its[0], atom});
  }
  std::vector<std::array<int, 3>> ends;    // the objects of each chain
  std::map<int, std::vector<int>> to_goal; // middle -> atoms that join it and the second object
  for (const auto &[left, right] : goals) {
    if (left == right)
      continue;
    to_goal.clear();
    for (const Link &link : links[right])
      if (link.other != left)
        to_goal[link.other].push_back(link.atom);
    for (const Link &link : links[left]) {
      const auto found = to_goal.find(link.other);
      if (found == to_goal.end())
        continue;
      for (int atom : found->second) {
        if (std::min(link.atom, atom) >= facts())
          continue; // always there: nothing to see
        const bool first_changes = link.atom < facts();
        const int other = first_changes ? atom : link.atom;
        chains_.push_back({first_changes ? link.atom : atom, other < facts() ? other : -1});
        ends.push_back({left, link.other, right});
      }
      if (chains_.size() > most) { // no room: such a graph has to do without
        chains_.clear();
        return;
      }
    }
  }
  for (const std::array<int, 3> &objects : ends)
    args_.add_row(objects);
  chain_colour_ = object_kinds_ + predicate * atom_statuses;
  base_colours_ = std::max(base_colours_, chain_colour_ + atom_statuses);
  std::vector<std::vector<int>> with(static_cast<std::size_t>(facts()));
  for (std::size_t i = 0; i < chains_.size(); ++i) {
    const int atom = chains_from() + static_cast<int>(i);
    with[chains_[i].first].push_back(atom);
    if (chains_[i].second >= 0 && chains_[i].second != chains_[i].first)
      with[chains_[i].second].push_back(atom);
  }
  for (const std::vector<int> &row : with)
    chains_with_.add_row(row);
}

} // namespace beeline
