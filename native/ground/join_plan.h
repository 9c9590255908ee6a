// JoinPlan: in which order an action's preconditions are matched, once one of them is given.
//
// Source: semi-naive evaluation of Datalog with index nested-loop joins. When an atom becomes
// visible, it is matched with each precondition of its predicate (the trigger), and a plan for
// that trigger finds all matches of the others. Plans are fixed before exploration starts:
// preconditions whose arguments are all bound come first (a look-up each), then the one that
// is expected to leave the fewest matches.

#pragma once

#include <utility>
#include <vector>

#include "ground/lifted_program.h"
#include "ground/relation.h"

namespace beeline {

// One precondition in a plan. Arguments are variables or ~constants, as in LiftedLiteral.
struct JoinStep {
  enum class Kind { check, scan, lookup };
  Kind kind = Kind::check;
  int predicate = 0;
  std::vector<int> key;                     // bound arguments: all, none, or the index key
  const JoinIndex *index = nullptr;         // for look-ups
  std::vector<std::pair<int, int>> binds;   // (argument position, variable)
  std::vector<std::pair<int, int>> repeats; // argument positions that must agree
  bool before_trigger = false;              // only atoms older than the trigger's match
};

struct JoinPlan {
  int action = 0;
  LiftedLiteral trigger; // predicate < 0: no fluent precondition, runs once
  std::vector<JoinStep> steps;
};

// The positive preconditions of an action, parameter types and the definition of its cost included.
std::vector<LiftedLiteral> positive_conditions(const LiftedProgram &program,
                                               const LiftedAction &action);

// The plans for all triggers of an action. `positives` are its positive preconditions.
class JoinPlanner {
public:
  JoinPlanner(const LiftedProgram &program, std::vector<Relation> &relations)
      : program_(program), relations_(relations) {}

  std::vector<JoinPlan> plans(int action);
  // The plan that finds all instances at once, when all atoms are there.
  JoinPlan plan_at_once(int action) {
    return plan(action, positive_conditions(program_, program_.actions[action]), -1);
  }

private:
  JoinPlan plan(int action, const std::vector<LiftedLiteral> &positives, int trigger);
  JoinStep step(const LiftedLiteral &literal, std::vector<bool> &bound);
  double expected_matches(const LiftedLiteral &literal, const std::vector<bool> &bound,
                          const LiftedAction &action);

  const LiftedProgram &program_;
  std::vector<Relation> &relations_;
};

} // namespace beeline
