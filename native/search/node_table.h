// NodeTable: what a search remembers of each state: how it was reached, at which cost, and
// whether it is open, closed or a dead end. 16 bytes per state, in step with the registry.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/segmented.h"
#include "state/registry.h"

namespace beeline {

enum class NodeStatus : std::uint32_t { fresh, open, closed, dead };

struct Node {
  StateId parent;
  std::int32_t op;
  std::int32_t g;
  NodeStatus status;
};

class NodeTable {
public:
  Node &operator[](StateId id) { return *nodes_[id]; }
  const Node &operator[](StateId id) const { return *nodes_[id]; }

  // The node of the state that was just registered.
  Node &add(StateId parent, int op, int g) {
    Node *node = nodes_.append();
    *node = {parent, op, g, NodeStatus::fresh};
    return *node;
  }

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
