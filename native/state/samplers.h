// Samplers: partial states at known distances before the goal.
//
// XRS ("expansion from random successors", algorithm 4 of the work on learned preferred operators)
// and FSM ("focused sampling method", Bettker et al., "Understanding sample generation strategies
// for learning heuristic functions in classical planning", 2022), with the plain breadth-first,
// depth-first and random-walk strategies that they are made of. All start at the goal and go
// backwards; the estimate of a state is the number of steps at which it was first met, in the
// costs of the operators.

#pragma once

#include <cstdint>
#include <vector>

#include "base/poll.h"
#include "base/random.h"
#include "state/regression.h"

namespace beeline {

struct Samples {
  std::vector<StateId> states;
  std::vector<Cost> estimates;      // cost of the way to the goal
  std::vector<std::int32_t> depths; // its steps
};

struct SamplerLimits {
  std::size_t count; // of samples; fewer if there are no more
  int depth;         // of walks and of depth-first search
};

class Sampler {
public:
  Sampler(PartialStates &states, Regression &regression, std::uint64_t seed, Poll &poll);

  // The first `count * share` states in breadth-first order, then random ones of the open list.
  Samples xrs(std::size_t count, double share);
  // Whole families in breadth-first order up to `count * share`, then walks from random leaves;
  // a walk has no state twice, but different walks may.
  Samples fsm(const SamplerLimits &limits, double share);
  Samples breadth_first(std::size_t count) { return xrs(count, 1.0); }
  Samples depth_first(const SamplerLimits &limits);
  Samples random_walks(const SamplerLimits &limits);

private:
  struct Node {
    StateId state;
    Cost estimate;
    std::int32_t depth;
  };

  // Predecessors of a state that are not known yet, in the order of operators or a random one.
  void expand(const Node &node, bool shuffled, std::vector<Node> &found);
  Node goal();
  void add(const Node &node, Samples &samples) const;
  void walk(Node from, const SamplerLimits &limits, const std::vector<char> &excluded,
            Samples &samples);

  PartialStates &states_;
  Regression &regression_;
  Random random_;
  Poll &poll_;
  PartialState state_, predecessor_;
  std::vector<int> cases_;
  std::vector<std::uint32_t> walked_; // per state: the last walk that came by
  std::uint32_t walk_ = 0;
};

} // namespace beeline
