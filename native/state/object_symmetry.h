// ObjectSymmetry: objects that can be exchanged for each other, and of all states that differ in
// nothing but their names, one.
//
// Sources: Pochter, Zohar and Rosenschein, "Exploiting problem symmetries in state-based planners",
// AAAI 2011; Domshlak, Katz and Shleyfman, "Symmetry breaking: satisficing planning and landmark
// heuristics", ICAPS 2013, which calls a search of such states orbit space search.
//
// Two objects can be exchanged if that maps variables to variables, operators to operators of the
// same cost, and the goal to itself; the initial state does not matter. Where no atom mentions two
// objects of a class, the values of its variables say all about an object: one number. States whose
// classes have the same numbers have plans of the same cost, and sorting numbers makes them equal.
// Where atoms mention objects of two classes, sorting one may disturb the other: then not all
// states that could be are made equal, but none that should not.

#pragma once

#include <cstdint>
#include <vector>

#include "base/tuple_set.h"
#include "state/packing.h"

namespace beeline {

class ObjectSymmetry {
public:
  // Per class and place in it: the place of the object whose part it plays.
  using Renaming = std::vector<std::vector<int>>;

  // Finds nothing in tasks with axioms, with unwritten actions, or that are too large to look.
  ObjectSymmetry(const GroundTask &task, const StatePacker &packer);

  // Of objects that can be exchanged.
  std::vector<std::vector<int>> classes() const;
  bool empty() const { return classes_.empty(); }

  Renaming identity() const;
  // Sorts the numbers of each class. `renaming`, if there is one, is followed by what was done.
  void sort(Word *state, Renaming *renaming = nullptr);
  void rename_back(Word *state, const Renaming &renaming);

private:
  // What a variable says about each object of a class: a variable of its own, or a value of one
  // that all share.
  struct Role {
    bool shared = false;
    std::vector<int> variables;           // per object
    std::vector<std::vector<int>> values; // per object: within its variable, in one order for all
    std::vector<std::vector<int>> codes;  // per object and value within its variable
    std::uint64_t radix = 1;
  };
  struct Class {
    std::vector<int> objects;
    std::vector<Role> roles;
  };

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
  bool add_role(Class &made, int variable,
                const std::vector<std::vector<std::pair<int, int>>> &images) const;
  std::uint64_t number(const Class &each, std::size_t object, const Word *state) const;
  void write(const Class &each, std::size_t object, std::uint64_t number, Word *state) const;
  void set(Word *state, int variable, int value) const {
    const StatePacker::Slot &slot = packer_.slot(variable);
    state[slot.word] =
        (state[slot.word] & ~(slot.mask << slot.shift)) | (static_cast<Word>(value) << slot.shift);
  }

  const GroundTask &task_;
  const StatePacker &packer_;
  std::vector<Class> classes_;
  // While classes are looked for:
  std::vector<TupleSet> atoms_;                     // per predicate
  std::vector<std::vector<int>> facts_;             // per predicate and atom
  std::vector<std::vector<int>> about_;             // per object: facts
  std::vector<std::vector<int>> operators_;         // per object: those that it may matter for
  std::vector<std::pair<std::size_t, int>> shapes_; // hashes and operators, sorted
  std::vector<int> images_;                         // per value
  // While a state is sorted:
  std::vector<std::pair<std::uint64_t, int>> numbers_;
};

} // namespace beeline
