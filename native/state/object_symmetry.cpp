#include "state/object_symmetry.h"

#include <algorithm>
#include <numeric>

namespace beeline {

namespace {
constexpr int most_passes = 4; // over all classes, for one state
} // namespace

ObjectSymmetry::Renaming ObjectSymmetry::identity() const {
  Renaming result;
  for (const ObjectClass &each : classes_) {
    result.emplace_back(each.objects.size());
    std::iota(result.back().begin(), result.back().end(), 0);
  }
  return result;
}

std::uint64_t ObjectSymmetry::number(const ObjectClass &each, std::size_t object,
                                     const Word *state) const {
  std::uint64_t result = 0;
  for (const ObjectRole &role : each.roles) {
    const int value = packer_.get(state, role.variables[object]);
    result = result * role.radix + static_cast<std::uint64_t>(role.codes[object][value]);
  }
  return result;
}

void ObjectSymmetry::write(const ObjectClass &each, std::size_t object, std::uint64_t number,
                           Word *state) const {
  for (auto role = each.roles.rbegin(); role != each.roles.rend(); ++role) {
    const auto code = static_cast<std::size_t>(number % role->radix);
    number /= role->radix;
    if (!role->shared)
      set(state, role->variables[object], role->values[object][code]);
    else if (code > 0) // or this variable is about another object, or none
      set(state, role->variables[object], role->values[object][code - 1]);
  }
}

void ObjectSymmetry::sort(Word *state, Renaming *renaming) {
  bool changed = true;
  for (int pass = 0; changed && pass < most_passes; ++pass) {
    changed = false;
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      const ObjectClass &each = classes_[c];
      numbers_.clear();
      for (std::size_t i = 0; i < each.objects.size(); ++i)
        numbers_.emplace_back(number(each, i, state), static_cast<int>(i));
      if (std::is_sorted(numbers_.begin(), numbers_.end()))
        continue;
      changed = true;
      std::sort(numbers_.begin(), numbers_.end());
      for (std::size_t i = 0; i < numbers_.size(); ++i)
        write(each, i, numbers_[i].first, state);
      if (renaming == nullptr)
        continue;
      std::vector<int> now(numbers_.size());
      for (std::size_t i = 0; i < numbers_.size(); ++i)
        now[numbers_[i].second] = static_cast<int>(i);
      for (int &place : (*renaming)[c])
        place = now[place];
    }
  }
}

void ObjectSymmetry::rename_back(Word *state, const Renaming &renaming) {
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    const ObjectClass &each = classes_[c];
    numbers_.clear();
    for (std::size_t i = 0; i < each.objects.size(); ++i)
      numbers_.emplace_back(number(each, i, state), 0);
    for (std::size_t i = 0; i < each.objects.size(); ++i)
      write(each, i, numbers_[static_cast<std::size_t>(renaming[c][i])].first, state);
  }
}

} // namespace beeline
