// LandmarkGraph: what every plan makes true on its way, and in which order.
//
// A landmark is a value that holds at some time in every plan, or a set of values of which at
// least one does (disjunctive). Orders say what comes first:
//   natural     the first landmark holds at some time before the second does;
//   greedy      it holds in the step before the second holds for the first time;
//   reasonable  whoever reaches the second one first has to give it up again.
// Natural and greedy orders are proven, reasonable ones are good advice. What is derived may hold
// at the same time as what comes before it.
//
// Sources: Hoffmann, Porteous and Sebastia, "Ordered landmarks in planning", JAIR 2004; Richter
// and Westphal, "The LAMA planner", JAIR 2010.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/poll.h"
#include "task/ground_task.h"

namespace beeline {

enum class LandmarkOrder : std::uint8_t { reasonable, natural, greedy }; // weakest first

struct Landmark {
  std::vector<int> values; // ascending; of more than one, one is enough
  bool is_goal = false;
  bool holds_initially = false;
  bool is_derived = false;    // by axioms: counts as the cheapest operator, as in LAMA
  std::vector<int> achievers; // operators that have one of the values as an effect, ascending
  std::vector<int>
      first_achievers; // those of them that can be the first; empty if it holds at once

  bool is_disjunctive() const { return values.size() > 1; }
};

struct LandmarkGraph {
  std::vector<Landmark> landmarks;
  std::map<std::pair<int, int>, LandmarkOrder> orders; // (before, after)

  // The stronger order stays. A proven one and a reasonable one may go in opposite directions: the
  // truck is at the depot first, and has to be there again.
  void add_order(int before, int after, LandmarkOrder order);
};

// Landmarks with proven and reasonable orders.
std::shared_ptr<const LandmarkGraph> find_ordered_landmarks(const GroundTask &task, Poll &poll);

// All landmarks and orders that backchaining finds from the goal of a task (landmark_search.cpp).
// The work is bounded: in huge tasks landmarks far from the goal may be missing.
LandmarkGraph find_landmarks(const GroundTask &task, Poll &poll);

// Adds reasonable orders (landmark_orders.cpp).
void add_reasonable_orders(const GroundTask &task, LandmarkGraph &graph);

} // namespace beeline
