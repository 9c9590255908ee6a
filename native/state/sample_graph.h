// SampleGraph: which operators lead from one sample into another, and what that says of both.
//
// An arc leads from partial state s to t by operator o if o is applicable in s and its successor
// has every value of t (definition 11 of the work on learned preferred operators). Shortest ways
// to the goal in this graph improve the estimates ("successor improvement", SUI), and operators at
// the beginning of one are the discovered preferred operators (definition 13). Targets are found
// by an index, never by comparing all pairs.

#pragma once

#include <cstdint>
#include <vector>

#include "base/poll.h"
#include "state/generalisations.h"

namespace beeline {

class SampleGraph {
public:
  // `members` are different states.
  SampleGraph(const PartialStates &states, std::vector<StateId> members, Poll &poll);

  struct Arc {
    int target; // a place in the list of members
    int op;
  };

  std::size_t size() const { return members_.size(); }
  const Rows<Arc> &arcs() const { return arcs_; }

  // The smallest costs that the arcs allow, given some for all members; Dijkstra's algorithm.
  std::vector<Cost> improved(const std::vector<Cost> &estimates) const;

  // Per member: the operators, ascending, of arcs that lie on a shortest way.
  Rows<int> preferred(const std::vector<Cost> &estimates) const;

private:
  const GroundTask &task_;
  std::vector<StateId> members_;
  Rows<Arc> arcs_;
};

} // namespace beeline
