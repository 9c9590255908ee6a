#include "task/archive.h"

#include <cstring>
#include <stdexcept>
#include <type_traits>

namespace beeline {

namespace {

constexpr std::int64_t layout_version = 4;

class Writer {
public:
  template <class Item>
  void operator()(const std::vector<Item> &items) {
    static_assert(std::is_trivially_copyable_v<Item>);
    (*this)(static_cast<std::int64_t>(items.size()));
    bytes.append(reinterpret_cast<const char *>(items.data()), items.size() * sizeof(Item));
  }
  template <class Item, class Start>
  void operator()(const Rows<Item, Start> &rows) {
    (*this)(rows.starts());
    (*this)(rows.items());
  }
  void operator()(const EffectRows &rows) {
    (*this)(rows.codes());
    (*this)(rows.others());
  }
  void operator()(const OperatorCosts &costs) { (*this)(costs.list()); }
  void operator()(std::int64_t number) {
    bytes.append(reinterpret_cast<const char *>(&number), sizeof number);
  }
  std::string bytes;
};

class Reader {
public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <class Item>
  void operator()(std::vector<Item> &items) {
    const std::int64_t count = number();
    if (count < 0 || static_cast<std::size_t>(count) > rest_.size() / sizeof(Item))
      throw std::invalid_argument("truncated task");
    items.resize(static_cast<std::size_t>(count));
    if (count > 0)
      std::memcpy(items.data(), rest_.data(), items.size() * sizeof(Item));
    rest_.remove_prefix(items.size() * sizeof(Item));
  }
  template <class Item, class Start>
  void operator()(Rows<Item, Start> &rows) {
    std::vector<Start> starts;
    std::vector<Item> items;
    (*this)(starts);
    (*this)(items);
    rows = Rows<Item, Start>(std::move(starts), std::move(items));
  }
  void operator()(EffectRows &rows) {
    OperatorRows codes;
    std::vector<Effect> others;
    (*this)(codes);
    (*this)(others);
    rows = EffectRows(std::move(codes), std::move(others));
  }
  void operator()(OperatorCosts &costs) {
    std::vector<Cost> list;
    (*this)(list);
    costs = OperatorCosts(list);
  }
  std::int64_t number() {
    std::int64_t result = 0;
    if (rest_.size() < sizeof result)
      throw std::invalid_argument("truncated task");
    std::memcpy(&result, rest_.data(), sizeof result);
    rest_.remove_prefix(sizeof result);
    return result;
  }
  bool finished() const { return rest_.empty(); }

private:
  std::string_view rest_;
};

// The one list of fields, for both directions.
template <class Task, class Visit>
void visit_arrays(Task &task, Visit &visit) {
  visit(task.variables.offsets);
  visit(task.variables.variable_of);
  visit(task.variables.fact_of);
  visit(task.negated_fact);
  visit(task.fact_values);
  visit(task.fact_predicates);
  visit(task.fact_args);
  visit(task.initial);
  visit(task.goal);
  visit(task.operators.conditions);
  visit(task.operators.effects);
  visit(task.operators.effect_conditions);
  visit(task.operators.costs);
  visit(task.operators.actions);
  visit(task.operators.args);
  visit(task.axioms.conditions);
  visit(task.axioms.values);
  visit(task.axioms.layers);
  visit(task.mutex_groups);
}

} // namespace

std::string to_bytes(const GroundTask &task) {
  Writer writer;
  writer(layout_version);
  writer(static_cast<std::int64_t>(task.solvability));
  writer(std::int64_t{task.reachable_facts});
  writer(std::int64_t{task.reachable_instances});
  visit_arrays(task, writer);
  return std::move(writer.bytes);
}

GroundTask from_bytes(std::string_view bytes) {
  Reader reader(bytes);
  if (reader.number() != layout_version)
    throw std::invalid_argument("a task of another version");
  GroundTask task;
  task.solvability = static_cast<Solvability>(reader.number());
  task.reachable_facts = static_cast<int>(reader.number());
  task.reachable_instances = reader.number();
  visit_arrays(task, reader);
  if (!reader.finished())
    throw std::invalid_argument("more bytes than a task has");
  return task;
}

} // namespace beeline
