// NodeTable: what a search remembers of each state: how it was reached, at which cost, and
// whether it is open, closed or a dead end; fresh states are in the registry, but the search has
// not met them. 16 bytes per state, in step with the registry.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/segmented.h"
#include "state/registry.h"

namespace beeline {

enum class NodeStatus : std::uint8_t { fresh, open, closed, dead };

struct Node {
  StateId parent;
  std::int32_t op;
  Cost g : 56; // below `cost_limit`
  NodeStatus status : 8;
};
static_assert(sizeof(Node) == 16);

class NodeTable {
public:
  Node &operator[](StateId id) { return *nodes_[id]; }
  const Node &operator[](StateId id) const { return *nodes_[id]; }

  // For a state that was just registered, by the search or by somebody else.
  void add() { *nodes_.append() = {no_state, -1, 0, NodeStatus::fresh}; }

  std::vector<int> path_to(StateId id) const {
    std::vector<int> operators;
    for (; (*this)[id].parent != no_state; id = (*this)[id].parent)
      operators.push_back((*this)[id].op);
    std::reverse(operators.begin(), operators.end());
    return operators;
  }

  std::size_t size() const { return nodes_.size(); }
  std::size_t bytes() const { return nodes_.bytes(); }

private:
  SegmentedArray<Node> nodes_;
};

} // namespace beeline
