// PlanOrder: other orders of the same steps.
//
// Two steps keep their order if one of them changes a variable that the other one reads or changes;
// all others may be swapped, and every order that respects this ends in the same state. Steps that
// belong together often stand far apart in a plan, one vehicle's errand between those of others:
// in an order that follows one thing after the other they become neighbours, and a short window of
// the plan holds all of them (in the spirit of Siddiqui and Haslum, "Continuing plan quality
// optimisation", JAIR 2015, whose windows are blocks of a partially ordered plan).

#pragma once

#include <cstdint>
#include <vector>

#include "search/plan_trace.h"

namespace beeline {

class PlanOrder {
public:
  PlanOrder(const PlanWorld &world, const std::vector<int> &plan);

  // Follows what a step makes possible: after a step comes the latest one that waited for it.
  std::vector<int> chained() const;
  // Steps that mention an object come as early as they can, or as late; objects in an order that
  // the seed decides.
  std::vector<int> early_by_object(std::uint64_t seed) const;
  std::vector<int> late_by_object(std::uint64_t seed) const;

private:
  std::vector<int> by_object(std::uint64_t seed, bool late) const;
  std::vector<int> operators(const std::vector<std::size_t> &steps) const;

  const PlanWorld &world_;
  const std::vector<int> &plan_;
  std::vector<std::vector<std::size_t>> before_, after_; // per step
};

} // namespace beeline
