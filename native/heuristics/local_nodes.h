// LocalNodes: values of variables on cheapest paths, each with the context of its path.
//
// A path sets other variables on its way: what its transitions need, and what else they do. That
// is not copied from node to node: a node knows the last one of its path whose transition sets
// anything, and what a variable has is looked up backwards.

#pragma once

#include <limits>
#include <vector>

#include "heuristics/value_transitions.h"

namespace beeline {

constexpr Cost unreached_cost = std::numeric_limits<Cost>::max();

// A sum that may be out of reach.
inline Cost cost_sum(Cost left, Cost right) {
  return left == unreached_cost || right == unreached_cost ? unreached_cost
                                                           : sum_of_costs(left, right);
}

struct LocalNode {
  Cost cost = unreached_cost;
  const Transition *step = nullptr; // the last one of the path; null at its start
  int parent = -1;
  int context = -1; // the last node, itself included, whose step sets anything; -1: none
  int waiting = -1; // first of those that wait for its cost
  bool closed = false;
};

class LocalNodes {
public:
  explicit LocalNodes(const ValueTransitions &transitions) : transitions_(transitions) {}

  LocalNode &operator[](int node) { return nodes_[node]; }
  const LocalNode &operator[](int node) const { return nodes_[node]; }
  std::size_t size() const { return nodes_.size(); }
  void resize(std::size_t size) { nodes_.resize(size); }

  // The cost of a node is final; its context is that of its path.
  void close(int number) {
    LocalNode &node = nodes_[number];
    node.closed = true;
    if (node.step == nullptr)
      node.context = -1;
    else
      node.context = ValueTransitions::sets_any(*node.step) ? number : nodes_[node.parent].context;
  }

  // The value of another variable at the end of a path; -1 if the path leaves it as it was.
  int on_path(int number, int variable) const {
    for (int node = nodes_[number].context; node >= 0; node = nodes_[nodes_[node].parent].context)
      if (const int value = transitions_.sets(*nodes_[node].step, variable); value >= 0)
        return value;
    return -1;
  }

  // The first transition of the path; null at its start.
  const Transition *first_step(int number) const {
    const Transition *step = nullptr;
    for (int node = number; nodes_[node].step != nullptr; node = nodes_[node].parent)
      step = nodes_[node].step;
    return step;
  }

private:
  const ValueTransitions &transitions_;
  std::vector<LocalNode> nodes_;
};

} // namespace beeline
