// Operator order: by name, then by what they test, then by what they do.
//
// Searches break ties by operator order, so it has to be the same on every machine, and equal
// to Fast Downward's where results are compared with it.

#pragma once

#include "ground/lifted_program.h"
#include "task/ground_task.h"

namespace beeline {

// `operators` come action by action in the order of action names, and by arguments within an
// action; operators of the same name may still be in any order.
Operators in_name_order(const LiftedProgram &program, const Variables &variables,
                        Operators operators);

} // namespace beeline
