#include "features/colour_graph.h"

#include <algorithm>
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
    : task_(task), object_colours_(std::move(object_colours)) {
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

} // namespace beeline
