// AxiomInlining: conditions in which derived facts are replaced by what they stand for.
//
// A universal condition comes as the negation of a derived fact, whose axioms say what breaks it.
// Searches are quicker, and heuristics and landmarks know more, if the condition itself is there:
// all that breaks it must be false, which for most conditions in practice is one list of literals,
// since what is static has been evaluated by now. Where it is a disjunction, there is a case for
// each disjunct, and where these are too many, the derived fact stays: thousands for one operator
// are no harm, hundreds for each of thousands are. Cost: proportional to the cases, of which those
// that contain others are dropped on the way; it is bounded for the task.

#pragma once

#include <map>
#include <optional>
#include <vector>

#include "ground/axioms.h"

namespace beeline {

// Facts that must be true and facts that must be false.
struct GroundLiterals {
  std::vector<int> positive, negative;
};

class AxiomInlining {
public:
  // `derived`: per fact, whether it is to be replaced; none of these may depend on itself. If it is
  // empty, conditions stay as they are.
  AxiomInlining(const AxiomBodies &bodies, std::vector<char> derived, Encoding &encoding)
      : bodies_(bodies), derived_(std::move(derived)), encoding_(encoding) {}

  bool empty() const { return derived_.empty(); }

  // The conditions that follow belong to as many operators of one action: the more of them, the
  // fewer cases each may have.
  void begin_action(std::size_t operators);

  // The cases of a condition, of which one suffices; none if it is never true.
  std::vector<GroundLiterals> cases(const std::vector<int> &positive,
                                    const std::vector<int> &negative);

private:
  using Cases = std::vector<AxiomBody>;
  static constexpr std::size_t cases_of_condition = 20'000;
  static constexpr std::size_t cases_of_action = 50'000;         // all of its operators together
  static constexpr std::size_t cases_of_any = 8;                 // each operator may have that many
  static constexpr std::size_t most_work = std::size_t{1} << 20; // cases looked at for one task

  bool is_derived(int literal) const { return derived_[literal >= 0 ? literal : ~literal] != 0; }
  std::size_t size_of(const AxiomBody &literals, std::size_t limit) const;
  bool is_possible(const AxiomBody &literals);
  std::optional<Cases> both(const Cases &left, const Cases &right, std::size_t limit);
  const std::optional<Cases> &cases_of(int literal);
  std::optional<Cases> broken(const std::vector<AxiomBody> &bodies);
  std::optional<Cases> together(const AxiomBody &literals);

  const AxiomBodies &bodies_;
  std::vector<char> derived_;
  Encoding &encoding_;
  std::size_t most_cases_ = cases_of_condition; // of a condition of this action
  std::size_t work_ = 0;
  std::map<int, std::optional<Cases>> known_; // per literal of a derived fact; none: too many
};

} // namespace beeline
