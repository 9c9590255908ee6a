// StateJoins: the applicable operators of unwritten actions, as joins over the true atoms of a
// state.
//
// Source: Corrêa, Pommerening, Helmert and Francès, "Lifted successor generation using query
// optimization techniques", ICAPS 2020. The conditions of an action are a query, a state is a small
// database, and the answers are the applicable operators. Parameters that share no condition are
// parts with queries of their own: what is applicable is the product of their answers, which is
// only made if somebody asks for all of it. Where objects come in kinds, one operator of each
// combination of kinds is the combination of the first answers of each kind; and of the objects
// that a step finds for a parameter that no later step mentions, the first of each kind is enough.
//
// Atoms lie in lists by the object at one of their places, made anew for a state in one pass over
// its variables; static ones once. A part whose variables have the values that they had in the
// state before keeps its answers: after most steps that is all but one or two.

#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "state/packing.h"
#include "task/ground_task.h"

namespace beeline {

class StateJoins {
public:
  StateJoins(const GroundTask &task, const StatePacker &packer);

  bool empty() const { return actions_.empty(); }
  // Whether some action has at least so many operators, and several parts.
  bool has_products(std::size_t fewest) const;

  // Appends all applicable operators, in any order. Throws std::bad_alloc if a state has more of
  // them than anybody could look at.
  void applicable(const Word *state, std::vector<int> &operators);
  // Appends at least, of all that have the same action and arguments of the same kinds, the one
  // that comes first. Returns how many are left out.
  std::int64_t applicable_kinds(const Word *state, std::span<const int> kinds,
                                std::vector<int> &operators);

  // What joins have looked at so far.
  std::int64_t looked_at() const { return looked_at_; }

private:
  // The atoms of a predicate in lists, by the object at one place.
  struct Lists {
    int predicate;
    int place;
    std::vector<int> first;            // per object
    std::vector<int> next;             // per atom
    std::vector<std::uint32_t> stamps; // per object: when `first` was set, of atoms that change
  };
  struct Step {
    enum class Kind { holds, fails, scan, list };
    Kind kind = Kind::holds;
    SchemaAtom atom;
    int lists = -1; // and the argument whose list it is
    int key = 0;
    std::vector<std::pair<int, int>> binds;  // (place, parameter)
    std::vector<std::pair<int, int>> checks; // (place, argument)
    // Of a step that binds: where the tests of what it binds end, and of its parameters those that
    // no step from there on mentions, and the others.
    std::size_t tested = 0;
    std::vector<int> loose, tied;
  };
  struct Part {
    std::vector<int> parameters;
    std::vector<Step> steps;
    std::size_t conditions = 0; // that can change
    // What its answers depend on, in place, and what was there when they were found.
    std::vector<std::uint32_t> words;
    std::vector<Word> masks, seen;
    bool answered = false;    // completely
    std::size_t count = 0;    // of answers
    double all = 0;           // with those that were left out, as others of their kinds came first
    std::vector<int> answers; // flat: values of conditions, ascending, then objects
    std::vector<int> first_ones; // of their kinds: numbers of answers

    std::size_t width() const { return conditions + parameters.size(); }
    const int *row(std::size_t answer) const { return answers.data() + answer * width(); }
  };
  struct Action {
    std::vector<Part> parts;
    std::vector<int> binding;
  };

  void add_action(const UnwrittenAction &schema);
  void plan(Part &part, std::vector<SchemaAtom> positive, std::vector<SchemaAtom> negative,
            int parameters);
  Step binding_step(const SchemaAtom &atom, std::vector<char> &bound);
  void find_loose_parameters(Part &part) const;
  void find_dependencies(Part &part, const std::vector<SchemaAtom> &atoms);
  int lists_of(int predicate, int place);
  void count_objects(int predicate);
  double expected_matches(const SchemaAtom &atom, const std::vector<char> &bound) const;
  bool is_fluent(int predicate) const { return !tables_[predicate].values.empty(); }

  void load();
  void file(int predicate, int atom);
  // Answers the parts in this state until one has none, which is false. With kinds, answers that
  // are not the first of their kind may be left out.
  bool answer(Action &action, std::span<const int> kinds);
  void match(Part &part, std::size_t depth);
  void match_kinds(Part &part, std::size_t depth);
  template <typename Found>
  void match_step(const Step &step, std::size_t depth, Found &&found);
  bool bind(const Step &step, std::size_t depth, int atom);
  bool is_answered(const Step &step) const { // by the value of an atom
    return step.kind != Step::Kind::fails && is_fluent(step.atom.predicate);
  }
  bool is_true(const SchemaAtom &atom, std::size_t depth);
  int value_now(int value) const {
    const int variable = task_.variables.variable_of[value];
    return task_.variables.offsets[variable] + packer_.get(state_, variable);
  }
  void find_first_ones(Part &part, std::span<const int> kinds);
  // All combinations of answers, or of the first ones; false if one of the latter is no operator.
  bool combine(std::size_t action, bool first_ones, std::vector<int> &operators);

  const GroundTask &task_;
  const StatePacker &packer_;
  std::span<const AtomTable> tables_;
  std::vector<Action> actions_; // as in the task
  std::vector<Lists> lists_;
  std::vector<std::vector<int>> lists_over_; // per predicate: its lists
  struct Place {
    int predicate = -1;
    int atom = 0;
  };
  std::vector<Place> atom_of_;               // per value
  std::vector<int> variables_;               // that have values of predicates in conditions
  std::vector<double> usual_;                // per predicate: how many atoms are true, at most
  std::vector<std::vector<int>> objects_at_; // per predicate and place: how many there are
  std::vector<std::vector<int>> lasting_;    // per fluent predicate: atoms that are always true
  std::vector<std::vector<int>> true_;       // per predicate: atoms that are true in the state
  const Word *state_ = nullptr;
  bool loaded_ = false; // the lists are those of the state
  std::uint32_t stamp_ = 0;
  std::vector<int> binding_;
  std::vector<int> values_;    // per step of the part that is being answered
  std::span<const int> kinds_; // or none, if all answers are wanted
  double weight_ = 1;          // how many answers the next one stands for
  OperatorDraft draft_;
  std::int64_t looked_at_ = 0;
};

} // namespace beeline
