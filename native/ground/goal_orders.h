// Goal orders: conditions that every plan obeys, written into the operators.
//
// A value is *irrevocable* if no operator changes its variable once it has it: a tile that is
// painted stays so. If every operator that could reach a goal is inapplicable while an irrevocable
// value A holds (one of its conditions excludes A), the goal must hold from the moment on at which
// A does, or it never will. So an operator with the effect A gets the goal as a condition, and one
// that cannot do with it (it deletes the goal, or needs what excludes it) is in no plan and goes.
// Both leave fewer ways to other goals, and so on until nothing changes: in floortile, the tile at
// the far wall can be painted from one side alone, hence before its neighbour is, which therefore
// can be painted from one side alone.
//
// The same plans solve the new task, and no others: only steps into states without a way out are
// gone. Heuristics, searches and learners need not find that out again. A kin of orders among goals
// (Koehler and Hoffmann, JAIR 2000), but sound, and not only among goals. One pass over the
// operators where nothing is irrevocable.

#pragma once

#include <optional>

#include "base/poll.h"
#include "task/ground_task.h"

namespace beeline {

// The task with fewer operators or more conditions; nothing if there is none to add.
std::optional<GroundTask> with_goal_orders(const GroundTask &task, Poll &poll);

} // namespace beeline
