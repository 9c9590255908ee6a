#include "networks/relational_encoding.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace beeline {

namespace {

std::uint64_t mixed(std::uint64_t value) { // the finaliser of SplitMix64
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

} // namespace

RelationalEncoding::RelationalEncoding(int objects, std::array<int, most_arity + 1> channels,
                                       const std::vector<RelationalAtom> &facts,
                                       const std::vector<RelationalAtom> &constants)
    : objects_(objects), channels_(channels) {
  if (objects < 0)
    throw std::invalid_argument("a negative number of objects");
  constant_marks_.resize(objects);
  for (const RelationalAtom &atom : facts)
    facts_.push_back(atom.channel < 0 ? Atom{-1, 0, {}} : checked(atom));
  for (const RelationalAtom &atom : constants) {
    constants_.push_back(checked(atom));
    mark(constants_.back(), constant_marks_);
  }
}

RelationalEncoding::Atom RelationalEncoding::checked(const RelationalAtom &atom) const {
  const auto arity = static_cast<int>(atom.objects.size());
  if (arity > most_arity || atom.channel < 0 || atom.channel >= channels_[arity])
    throw std::invalid_argument("an atom without a channel for it");
  Atom result{atom.channel, arity, {}};
  for (int place = 0; place < arity; ++place) {
    if (atom.objects[place] < 0 || atom.objects[place] >= objects_)
      throw std::invalid_argument("an atom with an unknown object");
    result.objects[place] = atom.objects[place];
  }
  return result;
}

// Adds the atom to what is known of each of its objects, the object itself being left blank. Where
// these sums are equal, exchanging the two objects exchanges true atoms with true ones: an atom
// that had both of them would name the other one in each sum.
void RelationalEncoding::mark(const Atom &atom, std::vector<Mark> &marks) {
  for (int place = 0; place < atom.arity; ++place) {
    const int object = atom.objects[place];
    bool earlier = false;
    for (int before = 0; before < place; ++before)
      earlier |= atom.objects[before] == object;
    if (earlier)
      continue; // the atom counts once
    std::uint64_t first = 0x9e3779b97f4a7c15ULL * (4ULL * atom.channel + atom.arity + 1);
    std::uint64_t second = ~first;
    for (int other = 0; other < atom.arity; ++other) {
      const std::uint64_t word =
          atom.objects[other] == object ? 1 : 2 + static_cast<std::uint64_t>(atom.objects[other]);
      first = mixed(first + word);
      second = mixed(second ^ (word << 20)) + 0x632be59bd9b4e019ULL;
    }
    marks[object].first += mixed(first);
    marks[object].second += mixed(second);
  }
}

int RelationalEncoding::choose(std::span<const std::int32_t> true_facts, int copies,
                               std::vector<int> &place_of, std::vector<int> &scratch) const {
  place_of.resize(objects_);
  if (objects_ <= copies) {
    std::iota(place_of.begin(), place_of.end(), 0);
    return objects_;
  }
  std::vector<Mark> marks = constant_marks_;
  for (std::int32_t fact : true_facts)
    if (facts_[fact].channel >= 0)
      mark(facts_[fact], marks);
  scratch.resize(objects_);
  std::iota(scratch.begin(), scratch.end(), 0);
  std::sort(scratch.begin(), scratch.end(),
            [&](int a, int b) { return marks[a] != marks[b] ? marks[a] < marks[b] : a < b; });
  int rank = 0;
  for (int i = 0; i < objects_; ++i) {
    rank = i > 0 && marks[scratch[i]] == marks[scratch[i - 1]] ? rank + 1 : 0;
    place_of[scratch[i]] = rank < copies ? 0 : -1;
  }
  int chosen = 0;
  for (int &place : place_of)
    if (place == 0)
      place = chosen++;
  return chosen;
}

void RelationalEncoding::write(std::span<const std::int32_t> true_facts,
                               const std::vector<int> &place_of, int chosen,
                               const std::array<float *, most_arity + 1> &tensors) const {
  for (const Atom &atom : constants_)
    write(atom, place_of, chosen, tensors);
  for (std::int32_t fact : true_facts)
    if (facts_[fact].channel >= 0)
      write(facts_[fact], place_of, chosen, tensors);
}

std::uint64_t RelationalEncoding::key_of_pairs(std::span<const std::int32_t> true_facts,
                                               const std::vector<int> &place_of, int chosen) const {
  std::uint64_t sum = mixed(static_cast<std::uint64_t>(chosen));
  const auto add = [&](const Atom &atom) {
    std::uint64_t word = 4ULL * atom.channel + atom.arity;
    for (int place = 0; place < atom.arity; ++place) {
      const int object = place_of[atom.objects[place]];
      if (object < 0)
        return;
      word = mixed(word) + static_cast<std::uint64_t>(object);
    }
    if (atom.arity >= 2)
      sum += mixed(word);
  };
  for (const Atom &atom : constants_)
    add(atom);
  for (std::int32_t fact : true_facts)
    if (facts_[fact].channel >= 0)
      add(facts_[fact]);
  return sum;
}

void RelationalEncoding::write(const Atom &atom, const std::vector<int> &place_of, int chosen,
                               const std::array<float *, most_arity + 1> &tensors) const {
  std::size_t cell = 0;
  for (int place = 0; place < atom.arity; ++place) {
    const int object = place_of[atom.objects[place]];
    if (object < 0)
      return;
    cell = cell * chosen + object;
  }
  tensors[atom.arity][cell * blocks_of(channels_[atom.arity]) * lanes + atom.channel] = 1.0F;
}

} // namespace beeline
