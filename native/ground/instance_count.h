// Instance count: how many ways there are to make some atoms true together, without listing them.
//
// Variables are eliminated one by one, the cheapest first: all relations that mention a variable
// are joined, and the variable is summed out, so that a tuple of what is left stands for as many
// instances as its count says (sum-product elimination; Dechter, "Bucket elimination", AIJ 1999).
// What is independent is multiplied and never joined. Cost: the largest join of relations that
// share a variable; where that is too much, the answer is an upper bound.

#pragma once

#include <vector>

#include "base/poll.h"
#include "ground/lifted_program.h"
#include "ground/relation.h"

namespace beeline {

// Atoms are positive; `relations` are known up to their last atom.
double count_instances(const std::vector<LiftedLiteral> &atoms,
                       const std::vector<Relation> &relations, int objects, Poll &poll);

} // namespace beeline
