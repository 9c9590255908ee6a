#include "ground/encoding.h"

#include <algorithm>
#include <numeric>

namespace beeline {

namespace {

std::vector<int> sizes_with_none(const std::vector<FactGroup> &groups) {
  std::vector<int> sizes;
  for (const FactGroup &group : groups)
    sizes.push_back(static_cast<int>(group.size()) + 1);
  return sizes;
}

} // namespace

Encoding::Encoding(const std::vector<FactGroup> &chosen, const std::vector<FactGroup> &mutexes,
                   int facts)
    : value_of_(facts), variable_places_(places_in_groups(chosen, facts)),
      mutex_places_(places_in_groups(mutexes, facts)), variable_sizes_(sizes_with_none(chosen)),
      mutex_sizes_(sizes_with_none(mutexes)), seen_stamp_(mutexes.size(), 0),
      seen_value_(mutexes.size(), 0) {
  for (FactGroup group : chosen) {
    for (std::size_t value = 0; value < group.size(); ++value)
      value_of_[group[value]] = variables_.values() + static_cast<int>(value);
    group.push_back(-1); // none of the facts
    variables_.add(group);
  }
}

const std::vector<std::vector<int>> &Encoding::conditions(const std::vector<int> &positive,
                                                          const std::vector<int> &negative) {
  if (negative.empty()) { // the usual case, without an allocation
    result_.resize(1);
    result_[0].clear();
    if (violates_mutex(positive)) {
      result_.clear();
      return result_;
    }
    for (int fact : positive)
      result_[0].push_back(value_of_[fact]);
    std::sort(result_[0].begin(), result_[0].end());
    result_[0].erase(std::unique(result_[0].begin(), result_[0].end()), result_[0].end());
    return result_;
  }
  result_.clear();
  std::vector<Choice> choices;
  if (constrain(positive, negative, mutex_places_, mutex_sizes_, choices)) {
    choices.clear();
    if (constrain(positive, negative, variable_places_, variable_sizes_, choices))
      multiply_out(choices);
  }
  return result_;
}

// Every fact is in some group of its own, so two facts of one variable show up here too.
bool Encoding::violates_mutex(const std::vector<int> &positive) {
  ++stamp_;
  for (int fact : positive)
    for (const GroupPlace &place : mutex_places_[fact]) {
      if (seen_stamp_[place.group] == stamp_ && seen_value_[place.group] != place.value)
        return true;
      seen_stamp_[place.group] = stamp_;
      seen_value_[place.group] = place.value;
    }
  return false;
}

bool Encoding::constrain(const std::vector<int> &positive, const std::vector<int> &negative,
                         const Rows<GroupPlace> &places, const std::vector<int> &sizes,
                         std::vector<Choice> &choices) {
  const auto find = [&](int group) {
    return std::find_if(choices.begin(), choices.end(),
                        [group](const Choice &choice) { return choice.group == group; });
  };
  for (int fact : positive)
    for (const GroupPlace &place : places[fact]) {
      const auto choice = find(place.group);
      if (choice == choices.end())
        choices.push_back({place.group, {place.value}});
      else if (choice->values[0] != place.value)
        return false;
    }
  for (int fact : negative) {
    bool enforced = false;
    const GroupPlace *smallest = nullptr;
    for (const GroupPlace &place : places[fact]) {
      const auto choice = find(place.group);
      if (choice != choices.end()) {
        enforced = true;
        std::erase(choice->values, place.value);
        if (choice->values.empty())
          return false;
      } else if (smallest == nullptr || sizes[place.group] < sizes[smallest->group]) {
        smallest = &place;
      }
    }
    if (!enforced && smallest != nullptr) {
      std::vector<int> others(sizes[smallest->group]);
      std::iota(others.begin(), others.end(), 0);
      std::erase(others, smallest->value);
      choices.push_back({smallest->group, std::move(others)});
    }
  }
  return true;
}

void Encoding::multiply_out(std::vector<Choice> &choices) {
  std::sort(choices.begin(), choices.end(),
            [](const Choice &left, const Choice &right) { return left.group < right.group; });
  result_.assign(1, {});
  for (const Choice &choice : choices) {
    const std::vector<std::vector<int>> prefixes = std::move(result_);
    result_.clear();
    for (const std::vector<int> &prefix : prefixes)
      for (int value : choice.values) {
        result_.push_back(prefix);
        result_.back().push_back(variables_.offsets[choice.group] + value);
      }
  }
}

} // namespace beeline
