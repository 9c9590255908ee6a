#include "state/samplers.h"

#include <algorithm>
#include <cmath>

namespace beeline {

Sampler::Sampler(PartialStates &states, Regression &regression, std::uint64_t seed, Poll &poll)
    : states_(states), regression_(regression), random_(seed), poll_(poll) {}

Sampler::Node Sampler::goal() { return {states_.insert(states_.goal()).first, 0, 0}; }

void Sampler::add(const Node &node, Samples &samples) const {
  samples.states.push_back(node.state);
  samples.estimates.push_back(node.estimate);
  samples.depths.push_back(node.depth);
}

void Sampler::expand(const Node &node, bool shuffled, std::vector<Node> &found) {
  found.clear();
  states_.read(node.state, state_);
  regression_.applicable(state_, cases_);
  if (shuffled)
    for (std::size_t i = cases_.size(); i > 1; --i)
      std::swap(cases_[i - 1], cases_[random_.below(i)]);
  for (int number : cases_) {
    poll_.tick();
    if (!regression_.regress(number, state_, predecessor_))
      continue;
    const auto [id, is_new] = states_.insert(predecessor_);
    if (is_new) {
      const Cost cost = states_.task().operators.costs[regression_.operator_of(number)];
      found.push_back({id, sum_of_costs(node.estimate, cost), node.depth + 1});
    }
  }
}

Samples Sampler::xrs(std::size_t count, double share) {
  Samples samples;
  if (count == 0)
    return samples;
  const auto first_phase = static_cast<std::size_t>(std::ceil(share * static_cast<double>(count)));
  std::vector<Node> open{goal()}, found;
  std::size_t head = 0;
  for (; head < open.size() && samples.states.size() < first_phase; ++head) {
    const Node node = open[head];
    add(node, samples);
    expand(node, false, found);
    open.insert(open.end(), found.begin(), found.end());
  }
  open.erase(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(head));
  while (!open.empty() && samples.states.size() < count) {
    std::swap(open[random_.below(open.size())], open.back());
    const Node node = open.back();
    open.pop_back();
    add(node, samples);
    expand(node, false, found);
    open.insert(open.end(), found.begin(), found.end());
  }
  return samples;
}

Samples Sampler::fsm(const SamplerLimits &limits, double share) {
  Samples samples;
  if (limits.count == 0)
    return samples;
  const auto first_phase =
      std::max<std::size_t>(1, static_cast<std::size_t>(share * static_cast<double>(limits.count)));
  std::vector<Node> queue{goal()}, leaves, found;
  add(queue[0], samples);
  // A family that does not fit as a whole is left out, and its parent becomes a leaf. What it has
  // put into the registry is met again later: families are told apart by `sampled`.
  std::vector<char> sampled(1, 1);
  std::size_t head = 0;
  for (; head < queue.size() && samples.states.size() < first_phase; ++head) {
    const Node node = queue[head];
    states_.read(node.state, state_);
    regression_.applicable(state_, cases_);
    found.clear();
    for (int number : cases_) {
      poll_.tick();
      if (!regression_.regress(number, state_, predecessor_))
        continue;
      const StateId id = states_.insert(predecessor_).first;
      sampled.resize(states_.size(), 0);
      const bool twice = std::any_of(found.begin(), found.end(),
                                     [&](const Node &other) { return other.state == id; });
      if (sampled[id] || twice)
        continue;
      const Cost cost = states_.task().operators.costs[regression_.operator_of(number)];
      found.push_back({id, sum_of_costs(node.estimate, cost), node.depth + 1});
    }
    if (samples.states.size() + found.size() > first_phase) {
      leaves.push_back(node);
      continue;
    }
    for (const Node &each : found) {
      sampled[each.state] = 1;
      add(each, samples);
      queue.push_back(each);
    }
  }
  leaves.insert(leaves.end(), queue.begin() + static_cast<std::ptrdiff_t>(head), queue.end());
  std::size_t fruitless = 0;
  while (!leaves.empty() && samples.states.size() < limits.count && fruitless < 10000) {
    const std::size_t before = samples.states.size();
    walk(leaves[random_.below(leaves.size())], limits, sampled, samples);
    fruitless = samples.states.size() == before ? fruitless + 1 : 0;
  }
  return samples;
}

// Goes on from a state to a random predecessor that this walk has not seen, until there is none or
// the limit is reached. States of `excluded` count as seen.
void Sampler::walk(Node node, const SamplerLimits &limits, const std::vector<char> &excluded,
                   Samples &samples) {
  ++walk_;
  walked_.resize(states_.size(), 0);
  walked_[node.state] = walk_;
  while (node.depth < limits.depth && samples.states.size() < limits.count) {
    states_.read(node.state, state_);
    regression_.applicable(state_, cases_);
    bool moved = false;
    while (!moved && !cases_.empty()) {
      poll_.tick();
      std::swap(cases_[random_.below(cases_.size())], cases_.back());
      const int number = cases_.back();
      cases_.pop_back();
      if (!regression_.regress(number, state_, predecessor_))
        continue;
      const StateId id = states_.insert(predecessor_).first;
      walked_.resize(states_.size(), 0);
      if (walked_[id] == walk_ || (id < excluded.size() && excluded[id]))
        continue;
      walked_[id] = walk_;
      const Cost cost = states_.task().operators.costs[regression_.operator_of(number)];
      node = {id, sum_of_costs(node.estimate, cost), node.depth + 1};
      moved = true;
    }
    if (!moved)
      return;
    add(node, samples);
  }
}

Samples Sampler::random_walks(const SamplerLimits &limits) {
  Samples samples;
  const Node start = goal();
  if (limits.count > 0)
    add(start, samples);
  const std::vector<char> excluded;
  std::size_t fruitless = 0;
  while (samples.states.size() < limits.count && fruitless < 10000) {
    const std::size_t before = samples.states.size();
    walk(start, limits, excluded, samples);
    fruitless = samples.states.size() == before ? fruitless + 1 : 0;
  }
  return samples;
}

Samples Sampler::depth_first(const SamplerLimits &limits) {
  Samples samples;
  std::vector<Node> stack{goal()}, found;
  while (!stack.empty() && samples.states.size() < limits.count) {
    const Node node = stack.back();
    stack.pop_back();
    add(node, samples);
    if (node.depth >= limits.depth)
      continue;
    expand(node, true, found);
    stack.insert(stack.end(), found.begin(), found.end());
  }
  return samples;
}

} // namespace beeline
