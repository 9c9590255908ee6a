#include "ground/inlining.h"

#include <algorithm>

namespace beeline {

namespace {

// All literals of both; none if one of them contradicts another.
std::optional<AxiomBody> joined(const AxiomBody &left, const AxiomBody &right) {
  AxiomBody result;
  std::set_union(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(result));
  for (int literal : right)
    if (std::binary_search(left.begin(), left.end(), ~literal))
      return std::nullopt;
  return result;
}

GroundLiterals split(const AxiomBody &literals) {
  GroundLiterals result;
  for (int literal : literals)
    (literal >= 0 ? result.positive : result.negative).push_back(literal >= 0 ? literal : ~literal);
  return result;
}

} // namespace

void AxiomInlining::begin_action(std::size_t operators) {
  const std::size_t most = std::clamp(cases_of_action / std::max<std::size_t>(1, operators),
                                      cases_of_any, cases_of_condition);
  if (most != most_cases_)
    known_.clear();
  most_cases_ = most;
}

std::vector<GroundLiterals> AxiomInlining::cases(const std::vector<int> &positive,
                                                 const std::vector<int> &negative) {
  AxiomBody plain, stay;
  std::vector<int> open;
  const auto add = [&](int literal) { (is_derived(literal) ? open : plain).push_back(literal); };
  std::for_each(positive.begin(), positive.end(), add);
  for (int fact : negative)
    add(~fact);
  if (open.empty())
    return {{positive, negative}};
  std::sort(plain.begin(), plain.end());
  const std::size_t limit = most_cases_ * size_of(plain, most_cases_);
  std::optional<Cases> found(Cases{plain});
  for (int literal : open) {
    const std::optional<Cases> &more = cases_of(literal);
    std::optional<Cases> next = more ? both(*found, *more, limit) : std::nullopt;
    if (next)
      found = std::move(next);
    else
      stay.push_back(literal);
  }
  std::vector<GroundLiterals> result;
  for (AxiomBody &literals : *found) {
    literals.insert(literals.end(), stay.begin(), stay.end());
    result.push_back(split(literals));
  }
  return result;
}

// How many lists of values the literals are, since a fact can be false in several ways; all above
// the limit are alike.
std::size_t AxiomInlining::size_of(const AxiomBody &literals, std::size_t limit) const {
  const Variables &variables = encoding_.variables();
  std::map<int, std::size_t> choices; // per variable
  for (int literal : literals) {
    const int variable =
        variables.variable_of[encoding_.value_of(literal >= 0 ? literal : ~literal)];
    auto &left = choices.try_emplace(variable, variables.domain_size(variable)).first->second;
    left = literal >= 0 ? 1 : std::max<std::size_t>(1, left - 1);
  }
  std::size_t size = 1;
  for (const auto &[variable, count] : choices)
    size = std::min(size * count, limit + 1);
  return size;
}

bool AxiomInlining::is_possible(const AxiomBody &literals) {
  const GroundLiterals both = split(literals);
  return !encoding_.conditions(both.positive, both.negative).empty();
}

// The cases in which both hold, the smallest ones only; none if they are too many.
std::optional<AxiomInlining::Cases> AxiomInlining::both(const Cases &left, const Cases &right,
                                                        std::size_t limit) {
  const bool several = left.size() * right.size() > 1; // one that is impossible is seen later
  Cases result;
  for (const AxiomBody &one : left)
    for (const AxiomBody &other : right)
      if (auto literals = joined(one, other)) {
        if (++work_ > most_work || size_of(*literals, limit) > limit || result.size() > 2 * limit)
          return std::nullopt;
        if (!several || is_possible(*literals))
          result.push_back(std::move(*literals));
      }
  drop_superfluous(result);
  std::size_t size = 0;
  for (const AxiomBody &literals : result)
    size += size_of(literals, limit);
  if (size > limit)
    return std::nullopt;
  return result;
}

const std::optional<AxiomInlining::Cases> &AxiomInlining::cases_of(int literal) {
  const auto known = known_.find(literal);
  if (known != known_.end())
    return known->second;
  const auto place = bodies_.find(literal >= 0 ? literal : ~literal);
  static const std::vector<AxiomBody> never;
  const std::vector<AxiomBody> &bodies = place == bodies_.end() ? never : place->second;
  std::optional<Cases> found;
  if (literal < 0) {
    found = broken(bodies);
  } else {
    found.emplace();
    for (const AxiomBody &body : bodies)
      if (const auto some = together(body); some && found)
        found->insert(found->end(), some->begin(), some->end());
      else
        found.reset();
  }
  return known_[literal] = std::move(found);
}

// The cases in which some literal of each body is false.
std::optional<AxiomInlining::Cases> AxiomInlining::broken(const std::vector<AxiomBody> &bodies) {
  AxiomBody single; // what breaks the bodies that are one literal, and stand first
  std::optional<Cases> found(Cases(1));
  for (const AxiomBody &body : bodies)
    if (body.size() == 1 && !is_derived(body.front()))
      single.push_back(~body.front());
  std::sort(single.begin(), single.end());
  if (std::any_of(single.begin(), single.end(), [&](int literal) {
        return std::binary_search(single.begin(), single.end(), ~literal);
      }))
    return Cases();
  found = both(*found, {single}, most_cases_);
  for (const AxiomBody &body : bodies) {
    if (!found)
      break;
    if (body.size() == 1 && !is_derived(body.front()))
      continue;
    Cases ways;
    for (int literal : body) {
      if (!is_derived(literal)) {
        ways.push_back({~literal});
        continue;
      }
      const std::optional<Cases> &more = cases_of(~literal);
      if (!more)
        return std::nullopt;
      ways.insert(ways.end(), more->begin(), more->end());
    }
    found = both(*found, ways, most_cases_);
  }
  return found;
}

// The cases in which all literals of a body hold.
std::optional<AxiomInlining::Cases> AxiomInlining::together(const AxiomBody &literals) {
  std::optional<Cases> found(Cases(1));
  for (int literal : literals) {
    if (!is_derived(literal)) {
      found = both(*found, {{literal}}, most_cases_);
    } else if (const std::optional<Cases> &more = cases_of(literal)) {
      found = both(*found, *more, most_cases_);
    } else {
      return std::nullopt;
    }
    if (!found)
      break;
  }
  return found;
}

} // namespace beeline
