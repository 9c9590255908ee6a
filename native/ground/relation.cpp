#include "ground/relation.h"

namespace beeline {

void JoinIndex::append(const int *tuple) {
  key_.clear();
  for (int position : positions_)
    key_.push_back(tuple[position]);
  const int atom = static_cast<int>(next_.size());
  next_.push_back(-1);
  const auto [slot, is_new] = keys_.insert(key_.data());
  if (is_new) {
    first_.push_back(atom);
    last_.push_back(atom);
  } else {
    next_[last_[slot]] = atom;
    last_[slot] = atom;
  }
}

void Relation::process_next() {
  for (const auto &index : indexes_)
    index->append(tuples_[visible_]);
  ++visible_;
}

const JoinIndex &Relation::index(const std::vector<int> &positions) {
  for (const auto &index : indexes_)
    if (index->positions() == positions)
      return *index;
  indexes_.push_back(std::make_unique<JoinIndex>(positions, radix_));
  for (int atom = 0; atom < visible_; ++atom)
    indexes_.back()->append(tuples_[atom]);
  return *indexes_.back();
}

} // namespace beeline
