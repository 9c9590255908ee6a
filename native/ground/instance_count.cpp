#include "ground/instance_count.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/tuple_set.h"

namespace beeline {

namespace {

constexpr std::size_t most_work = std::size_t{1} << 26; // tuples that are joined

// A relation over variables, ascending, with a count for each tuple.
struct Factor {
  Factor(std::vector<int> over, int objects)
      : variables(std::move(over)), tuples(static_cast<int>(variables.size()), objects) {}

  void add(const int *tuple, double count) {
    const auto [number, is_new] = tuples.insert(tuple);
    if (is_new)
      counts.push_back(count);
    else
      counts[number] += count;
  }
  bool mentions(int variable) const {
    return std::binary_search(variables.begin(), variables.end(), variable);
  }
  double sum() const {
    double result = 0;
    for (double count : counts)
      result += count;
    return result;
  }

  std::vector<int> variables;
  TupleSet tuples;
  std::vector<double> counts;
};

class Elimination {
public:
  Elimination(int objects, Poll &poll) : objects_(objects), poll_(poll) {}

  void add(const LiftedLiteral &literal, const Relation &relation) {
    std::vector<int> variables;
    for (int arg : literal.args)
      if (arg >= 0)
        variables.push_back(arg);
    std::sort(variables.begin(), variables.end());
    variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
    Factor factor(variables, objects_);
    std::vector<int> tuple(variables.size(), -1);
    for (int atom = 0; atom < relation.known(); ++atom) {
      poll_.tick();
      std::fill(tuple.begin(), tuple.end(), -1);
      bool fits = true;
      for (std::size_t i = 0; i < literal.args.size() && fits; ++i) {
        const int object = relation[atom][i];
        if (literal.args[i] < 0) {
          fits = object == ~literal.args[i];
          continue;
        }
        const auto place = static_cast<std::size_t>(
            std::lower_bound(variables.begin(), variables.end(), literal.args[i]) -
            variables.begin());
        fits = tuple[place] < 0 || tuple[place] == object;
        tuple[place] = object;
      }
      if (fits)
        factor.add(tuple.data(), 1);
    }
    factors_.push_back(std::move(factor));
  }

  double run() {
    double result = 1;
    while (true) {
      std::erase_if(factors_, [&](const Factor &factor) {
        if (factor.variables.empty())
          result *= factor.sum();
        return factor.variables.empty();
      });
      if (factors_.empty() || result == 0)
        return result;
      const int variable = cheapest();
      if (!eliminate(variable)) { // too much: as if all were independent
        for (const Factor &factor : factors_)
          result *= factor.sum();
        return result;
      }
    }
  }

private:
  std::vector<int> around(int variable) const { // all variables in its factors
    std::vector<int> result;
    for (const Factor &factor : factors_)
      if (factor.mentions(variable))
        result.insert(result.end(), factor.variables.begin(), factor.variables.end());
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  int cheapest() const {
    int best = -1;
    std::size_t least = 0;
    for (const Factor &factor : factors_)
      for (int variable : factor.variables) {
        const std::size_t size = around(variable).size();
        if (best < 0 || size < least || (size == least && variable < best)) {
          best = variable;
          least = size;
        }
      }
    return best;
  }

  bool eliminate(int variable) {
    std::vector<Factor> joined, others;
    for (Factor &factor : factors_)
      (factor.mentions(variable) ? joined : others).push_back(std::move(factor));
    std::sort(joined.begin(), joined.end(), [](const Factor &left, const Factor &right) {
      return left.tuples.size() < right.tuples.size();
    });
    while (joined.size() > 1) {
      if (!multiply(joined[0], joined[1], joined.size() == 2 ? variable : -1)) {
        factors_ = std::move(others);
        for (Factor &factor : joined)
          factors_.push_back(std::move(factor));
        return false;
      }
      joined.erase(joined.begin() + 1);
    }
    if (joined[0].mentions(variable))
      joined[0] = without(joined[0], variable);
    others.push_back(std::move(joined[0]));
    factors_ = std::move(others);
    return true;
  }

  Factor without(const Factor &factor, int variable) const {
    std::vector<int> rest = factor.variables;
    std::erase(rest, variable);
    Factor result(rest, objects_);
    std::vector<int> tuple(rest.size());
    for (int number = 0; number < factor.tuples.size(); ++number) {
      std::size_t place = 0;
      for (std::size_t i = 0; i < factor.variables.size(); ++i)
        if (factor.variables[i] != variable)
          tuple[place++] = factor.tuples[number][i];
      result.add(tuple.data(), factor.counts[number]);
    }
    return result;
  }

  // Puts the product in the place of `left`, without one variable; false if it is too large.
  bool multiply(Factor &left, const Factor &right, int dropped) {
    std::vector<int> shared_left, shared_right, all;
    std::set_union(left.variables.begin(), left.variables.end(), right.variables.begin(),
                   right.variables.end(), std::back_inserter(all));
    std::erase(all, dropped);
    for (std::size_t i = 0; i < left.variables.size(); ++i)
      for (std::size_t j = 0; j < right.variables.size(); ++j)
        if (left.variables[i] == right.variables[j]) {
          shared_left.push_back(static_cast<int>(i));
          shared_right.push_back(static_cast<int>(j));
        }
    JoinIndex index(shared_right, objects_);
    for (int number = 0; number < right.tuples.size(); ++number)
      index.append(right.tuples[number]);
    // Where each variable of the product comes from: a place in `left`, or ~place in `right`.
    std::vector<int> from;
    for (int variable : all) {
      const auto place = std::find(left.variables.begin(), left.variables.end(), variable);
      from.push_back(place != left.variables.end()
                         ? static_cast<int>(place - left.variables.begin())
                         : ~static_cast<int>(
                               std::find(right.variables.begin(), right.variables.end(), variable) -
                               right.variables.begin()));
    }
    Factor result(all, objects_);
    std::vector<int> key(shared_left.size()), tuple(all.size());
    for (int number = 0; number < left.tuples.size(); ++number) {
      const int *one = left.tuples[number];
      for (std::size_t i = 0; i < key.size(); ++i)
        key[i] = one[shared_left[i]];
      for (int match = index.first(key.data()); match >= 0; match = index.next(match)) {
        poll_.tick();
        if (++work_ > most_work)
          return false;
        const int *other = right.tuples[match];
        for (std::size_t i = 0; i < from.size(); ++i)
          tuple[i] = from[i] >= 0 ? one[from[i]] : other[~from[i]];
        result.add(tuple.data(), left.counts[number] * right.counts[match]);
      }
    }
    left = std::move(result);
    return true;
  }

  int objects_;
  Poll &poll_;
  std::vector<Factor> factors_;
  std::size_t work_ = 0;
};

} // namespace

double count_instances(const std::vector<LiftedLiteral> &atoms,
                       const std::vector<Relation> &relations, int objects, Poll &poll) {
  Elimination elimination(objects, poll);
  for (const LiftedLiteral &atom : atoms)
    elimination.add(atom, relations[atom.predicate]);
  return elimination.run();
}

} // namespace beeline
