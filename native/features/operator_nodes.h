// OperatorNodes: which nodes of a state's graph an operator is about.
//
// An action has slots, each for one node: its arguments one by one, and the atoms of its
// conditions and effects. An atom that is neither true nor wanted is no node, and a slot for
// nothing stands for the action itself. So (drop ball room gripper) has a slot for the ball, and
// one for (at ball room), which is a node if the goal wants it: what cannot be read off the ball
// and the room apart. Another slot is for all atoms around an argument: they tell more of a place
// than its own colour, which is new wherever one of them is. Cost: a look-up for each atom.

#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/tuple_set.h"
#include "features/colour_graph.h"

namespace beeline {

constexpr int no_node = -1;
constexpr int no_predicate = -1;
constexpr int any_predicate = -2;

struct OperatorSlot {
  int action; // of the task
  int number; // of the slot; actions of the task may share it
  // Of the domain; without one, the slot is for an argument or for nothing, and with any, it is for
  // all atoms around an argument.
  int predicate;
  std::vector<int> args; // arguments of the operator by place, or ~object
};

class OperatorNodes {
public:
  // Throws std::invalid_argument if a slot is for an argument that its action does not have. The
  // graph must outlive it.
  OperatorNodes(const ColourGraph &graph, const std::vector<OperatorSlot> &slots);

  // Calls use(number of the slot, node, whether it is for what is around it) for each slot of an
  // operator; a node is an object, or an atom behind all objects, or `no_node`. The atom may be
  // absent from a state.
  template <class Use>
  void for_each(int op, const Use &use) const {
    const Operators &operators = graph_.task().operators;
    const std::span<const int> args = operators.args[static_cast<std::size_t>(op)];
    for (const Slot &slot : slots_[static_cast<std::size_t>(operators.actions[op])])
      use(slot.number, node(slot, args), slot.is_around);
  }

  int numbers() const { return numbers_; } // of slots: all below
  bool looks_around() const { return looks_around_; }

private:
  struct Atoms {
    Atoms(int arity, int objects) : tuples(arity, objects) {}
    TupleSet tuples;
    std::vector<int> atoms; // by number of the tuple
  };
  struct Slot {
    int number;
    const Atoms *atoms; // null: the argument itself
    std::vector<int> args;
    bool is_around;
  };

  int node(const Slot &slot, std::span<const int> args) const;

  const ColourGraph &graph_;
  bool looks_around_ = false;
  int numbers_ = 0;
  std::map<std::pair<int, int>, Atoms> known_; // predicate, arity
  std::vector<std::vector<Slot>> slots_;       // per action of the task
};

} // namespace beeline
