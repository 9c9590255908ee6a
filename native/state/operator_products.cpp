#include "state/operator_products.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_set>

#include "base/hashing.h"

namespace beeline {

namespace {
constexpr std::size_t most_parameters = 16;
} // namespace

OperatorProducts::OperatorProducts(const GroundTask &task, std::size_t fewest) : task_(task) {
  const auto actions = std::span(task.operators.actions).first(task.listed_operators());
  for (std::size_t first = 0; first < actions.size();) {
    std::size_t last = first + 1;
    while (last < actions.size() && actions[last] == actions[first])
      ++last;
    Product product{static_cast<int>(first), static_cast<int>(last), {}};
    if (last - first >= fewest && find_parts(product.first_op, product.last_op, product) &&
        check(product))
      products_.push_back(std::move(product));
    first = last;
  }
}

bool OperatorProducts::contains(int op) const {
  return std::any_of(products_.begin(), products_.end(), [op](const Product &product) {
    return op >= product.first_op && op < product.last_op;
  });
}

std::optional<std::uint64_t> OperatorProducts::parameters_of(int value,
                                                             std::span<const int> args) const {
  const int fact = std::max(task_.variables.fact_of[value], task_.negated_fact[value]);
  if (fact < 0)
    return std::nullopt;
  std::uint64_t result = 0;
  for (int object : task_.fact_args[fact]) {
    const auto place = std::find(args.begin(), args.end(), object);
    if (place == args.end())
      continue; // a constant
    if (std::find(place + 1, args.end(), object) != args.end())
      return std::nullopt;
    result |= std::uint64_t{1} << (place - args.begin());
  }
  return result;
}

// Parameters that some condition mentions together are one part; conditions without parameters are
// a part of their own.
bool OperatorProducts::find_parts(int first_op, int last_op, Product &product) const {
  const std::size_t parameters = task_.operators.args[first_op].size();
  if (parameters < 2 || parameters > most_parameters)
    return false;
  std::vector<std::uint64_t> groups(parameters);
  for (std::size_t p = 0; p < parameters; ++p)
    groups[p] = std::uint64_t{1} << p;
  constexpr int samples = 64;
  const int step = std::max(1, (last_op - first_op) / samples);
  for (int op = first_op; op < last_op; op += step)
    for (int value : task_.operators.conditions[op]) {
      const auto together = parameters_of(value, task_.operators.args[op]);
      std::uint64_t group = together.value_or(0);
      for (std::uint64_t other : groups)
        if ((other & group) != 0)
          group |= other;
      for (std::size_t p = 0; p < parameters; ++p)
        if ((group >> p & 1) != 0)
          groups[p] = group;
    }
  product.parts.resize(1);
  for (std::size_t p = 0; p < parameters; ++p) {
    if (groups[p] >> p << p != groups[p])
      continue; // not the first one of its group
    Part &part = product.parts.emplace_back();
    for (std::size_t q = p; q < parameters; ++q)
      if ((groups[p] >> q & 1) != 0)
        part.parameters.push_back(static_cast<int>(q));
  }
  return product.parts.size() > 2 && seems_complete(product);
}

int OperatorProducts::find_by_args(const Product &product, std::span<const int> args) const {
  int low = product.first_op, high = product.last_op;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    const auto other = task_.operators.args[middle];
    if (std::lexicographical_compare(args.begin(), args.end(), other.begin(), other.end()))
      high = middle;
    else
      low = middle;
  }
  return low;
}

bool OperatorProducts::seems_complete(const Product &product) const {
  constexpr int samples = 64;
  const int count = product.last_op - product.first_op;
  const OperatorRows &all_args = task_.operators.args;
  for (int sample = 0; sample < samples; ++sample) {
    const auto draw = [&](int stride) {
      const std::int64_t place = std::int64_t{sample} * stride + stride / 2;
      return all_args[product.first_op + static_cast<int>(place * count / samples % count)];
    };
    const auto one = draw(1), other = draw(29);
    for (const Part &part : product.parts) {
      std::vector<int> mixed(one.begin(), one.end());
      for (int parameter : part.parameters)
        mixed[parameter] = other[parameter];
      const auto found = all_args[find_by_args(product, mixed)];
      if (!std::equal(found.begin(), found.end(), mixed.begin(), mixed.end()))
        return false;
    }
  }
  return true;
}

bool OperatorProducts::check(Product &product) const {
  const Operators &operators = task_.operators;
  int objects = 0;
  for (int object : operators.args.items())
    objects = std::max(objects, object + 1);
  std::vector<TupleSet> known;
  std::vector<std::uint64_t> bits;
  for (const Part &part : product.parts) {
    known.emplace_back(static_cast<int>(part.parameters.size()), objects);
    bits.push_back(std::accumulate(
        part.parameters.begin(), part.parameters.end(), std::uint64_t{0},
        [](std::uint64_t sum, int parameter) { return sum | std::uint64_t{1} << parameter; }));
  }
  std::size_t conditions = 0;
  std::vector<int> tuple(most_parameters);
  for (int op = product.first_op; op < product.last_op; ++op) {
    const auto args = operators.args[op];
    const auto values = operators.conditions[op];
    if (op > product.first_op) {
      const auto before = operators.args[op - 1];
      if (!std::lexicographical_compare(before.begin(), before.end(), args.begin(), args.end()))
        return false; // several operators with one name
    } else {
      conditions = values.size();
    }
    if (values.size() != conditions)
      return false;
    for (std::size_t p = 0; p < product.parts.size(); ++p) {
      Part &part = product.parts[p];
      for (std::size_t i = 0; i < part.parameters.size(); ++i)
        tuple[i] = args[part.parameters[i]];
      const auto [entry, is_new] = known[p].insert(tuple.data());
      if (is_new) {
        const std::size_t before = part.values.size();
        for (int value : values) {
          const auto together = parameters_of(value, args);
          if (!together)
            return false;
          if (p == 0 ? *together == 0 : (*together & bits[p]) != 0) {
            if ((*together & ~bits[p]) != 0)
              return false;
            part.values.push_back(value);
          }
        }
        if (entry == 0)
          part.conditions = part.values.size();
        if (part.values.size() - before != part.conditions)
          return false;
        part.args.insert(part.args.end(), tuple.begin(),
                         tuple.begin() + static_cast<std::ptrdiff_t>(part.parameters.size()));
        ++part.entries;
      }
      const int *needed = part.values.data() + static_cast<std::size_t>(entry) * part.conditions;
      for (std::size_t i = 0; i < part.conditions; ++i)
        if (std::find(values.begin(), values.end(), needed[i]) == values.end())
          return false;
    }
  }
  std::size_t attributed = 0;
  double combinations = 1;
  for (Part &part : product.parts) {
    attributed += part.conditions;
    combinations *= part.entries;
    sort_entries(part);
  }
  return attributed == conditions && combinations == product.last_op - product.first_op;
}

void OperatorProducts::sort_entries(Part &part) {
  const std::size_t width = part.parameters.size();
  std::vector<std::size_t> order(static_cast<std::size_t>(part.entries));
  std::iota(order.begin(), order.end(), 0);
  const auto row = [](const std::vector<int> &items, std::size_t entry, std::size_t length) {
    return std::span(items.data() + entry * length, length);
  };
  std::sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    const auto l = row(part.values, left, part.conditions);
    const auto r = row(part.values, right, part.conditions);
    const auto by_values =
        std::lexicographical_compare_three_way(l.begin(), l.end(), r.begin(), r.end());
    if (by_values != 0)
      return by_values < 0;
    const auto a = row(part.args, left, width), b = row(part.args, right, width);
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  });
  std::vector<int> args, values;
  for (std::size_t entry : order) {
    const auto a = row(part.args, entry, width), v = row(part.values, entry, part.conditions);
    args.insert(args.end(), a.begin(), a.end());
    values.insert(values.end(), v.begin(), v.end());
  }
  part.args = std::move(args);
  part.values = std::move(values);
}

std::int64_t OperatorProducts::first_of_kinds(const StatePacker &packer, const Word *state,
                                              std::span<const int> kinds,
                                              std::vector<int> &operators) {
  double applicable = 0, combinations = 0;
  for (Product &product : products_) {
    double all = 1, first_ones = 1;
    for (Part &part : product.parts) {
      look_at(part, packer, state, kinds);
      all *= static_cast<double>(part.applicable);
      first_ones *= static_cast<double>(part.first_ones.size());
      if (part.applicable == 0)
        break;
    }
    applicable += all;
    combinations += all > 0 ? first_ones : 0;
  }
  constexpr double dearer = 32; // to find an operator by its arguments than to come across it
  if (combinations * dearer > applicable)
    return -1;
  for (const Product &product : products_)
    if (std::all_of(product.parts.begin(), product.parts.end(),
                    [](const Part &part) { return part.applicable > 0; }))
      combine(product, operators);
  return static_cast<std::int64_t>(applicable);
}

void OperatorProducts::look_at(Part &part, const StatePacker &packer, const Word *state,
                               std::span<const int> kinds) {
  part.first_ones.clear();
  part.applicable = 0;
  const Variables &variables = task_.variables;
  const std::size_t width = part.parameters.size();
  std::unordered_set<std::uint64_t> seen;
  std::uint64_t last = 0;
  const int *value = part.values.data(), *arg = part.args.data();
  for (int entry = 0; entry < part.entries; ++entry, value += part.conditions, arg += width) {
    const bool holds = std::all_of(value, value + part.conditions, [&](int needed) {
      const int variable = variables.variable_of[needed];
      return packer.get(state, variable) == needed - variables.offsets[variable];
    });
    if (!holds)
      continue;
    ++part.applicable;
    std::uint64_t hash = 1;
    for (std::size_t i = 0; i < width; ++i)
      hash = mix(hash + static_cast<std::uint64_t>(kinds[arg[i]] + 3));
    if (part.applicable > 1 && hash == last) // the usual case
      continue;
    last = hash;
    if (seen.insert(hash).second)
      part.first_ones.push_back(entry);
  }
}

// All combinations of the first ones; operators are found by their arguments, which ascend.
void OperatorProducts::combine(const Product &product, std::vector<int> &operators) {
  std::vector<std::size_t> chosen(product.parts.size(), 0);
  args_.resize(task_.operators.args[product.first_op].size());
  while (true) {
    for (std::size_t p = 0; p < chosen.size(); ++p) {
      const Part &part = product.parts[p];
      const std::size_t width = part.parameters.size();
      for (std::size_t i = 0; i < width; ++i)
        args_[part.parameters[i]] =
            part.args[static_cast<std::size_t>(part.first_ones[chosen[p]]) * width + i];
    }
    operators.push_back(find_by_args(product, args_));
    std::size_t p = 0;
    while (p < chosen.size() && ++chosen[p] == product.parts[p].first_ones.size())
      chosen[p++] = 0;
    if (p == chosen.size())
      return;
  }
}

} // namespace beeline
