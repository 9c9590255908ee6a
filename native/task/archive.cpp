#include "task/archive.h"

#include <cstring>
#include <stdexcept>
#include <type_traits>

namespace beeline {

namespace {

constexpr std::int64_t layout_version = 5;

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
template <class Task, class Operators, class Visit>
void visit_arrays(Task &task, Operators &&operators, Visit &visit) {
  visit(task.variables.offsets);
  visit(task.variables.variable_of);
  visit(task.variables.fact_of);
  visit(task.negated_fact);
  visit(task.fact_values);
  visit(task.fact_predicates);
  visit(task.fact_args);
  visit(task.initial);
  visit(task.goal);
  visit(operators.conditions);
  visit(operators.effects);
  visit(operators.effect_conditions);
  visit(operators.costs);
  visit(operators.actions);
  visit(operators.args);
  visit(task.axioms.conditions);
  visit(task.axioms.values);
  visit(task.axioms.layers);
  visit(task.mutex_groups);
}

// Those from the start: whoever gets the task meets others by himself.
Operators listed(const GroundTask &task) {
  Operators result;
  const Operators &all = task.operators;
  for (std::size_t op = 0; op < task.listed_operators(); ++op) {
    result.conditions.add_row(all.conditions[op]);
    result.effects.add_row(all.effects[op]);
    result.costs.push_back(all.costs[op]);
    result.actions.push_back(all.actions[op]);
    result.args.add_row(all.args[op]);
  }
  result.effect_conditions = all.effect_conditions;
  return result;
}

// An atom is a row: its predicate, then its arguments.
Rows<int> rows_of(const std::vector<SchemaAtom> &atoms) {
  Rows<int> rows;
  for (const SchemaAtom &atom : atoms) {
    rows.push(atom.predicate);
    for (int arg : atom.args)
      rows.push(arg);
    rows.close_row();
  }
  return rows;
}

std::vector<SchemaAtom> atoms_of(const Rows<int> &rows) {
  std::vector<SchemaAtom> atoms;
  for (std::size_t row = 0; row < rows.size(); ++row)
    atoms.push_back({rows[row].front(), {rows[row].begin() + 1, rows[row].end()}});
  return atoms;
}

void write(const UnwrittenActions &unwritten, Writer &writer) {
  writer(std::int64_t{unwritten.objects});
  writer(unwritten.name_ranks);
  writer(static_cast<std::int64_t>(unwritten.tables.size()));
  for (const AtomTable &table : unwritten.tables) {
    writer(std::int64_t{table.tuples.arity()});
    writer(std::int64_t{table.tuples.size()});
    const int *first = table.tuples[0];
    const auto entries = static_cast<std::size_t>(table.tuples.size()) * table.tuples.arity();
    writer(std::vector<int>(first, first + entries));
    writer(table.values);
    writer(table.costs);
  }
  writer(static_cast<std::int64_t>(unwritten.actions.size()));
  for (const UnwrittenAction &action : unwritten.actions) {
    writer(std::vector<int>{action.action, action.parameters, action.named});
    writer(std::vector<double>{action.instances});
    for (const auto &atoms : {action.positive, action.negative, action.added, action.deleted,
                              std::vector<SchemaAtom>{action.cost_atom}})
      writer(rows_of(atoms));
    writer(action.cost);
  }
}

UnwrittenActions read_unwritten(Reader &reader) {
  UnwrittenActions unwritten;
  unwritten.objects = static_cast<int>(reader.number());
  reader(unwritten.name_ranks);
  const std::int64_t tables = reader.number();
  for (std::int64_t i = 0; i < tables; ++i) {
    const auto arity = static_cast<int>(reader.number());
    const std::int64_t size = reader.number();
    AtomTable &table = unwritten.tables.emplace_back(arity, unwritten.objects);
    std::vector<int> tuples;
    reader(tuples);
    if (static_cast<std::int64_t>(tuples.size()) != size * arity)
      throw std::invalid_argument("truncated task");
    for (std::int64_t tuple = 0; tuple < size; ++tuple)
      table.tuples.insert(tuples.data() + tuple * arity);
    reader(table.values);
    reader(table.costs);
  }
  const std::int64_t actions = reader.number();
  for (std::int64_t i = 0; i < actions; ++i) {
    UnwrittenAction &action = unwritten.actions.emplace_back();
    std::vector<int> numbers;
    std::vector<double> instances;
    reader(numbers);
    reader(instances);
    if (numbers.size() != 3 || instances.size() != 1)
      throw std::invalid_argument("truncated task");
    action.action = numbers[0];
    action.parameters = numbers[1];
    action.named = numbers[2];
    action.instances = instances[0];
    std::vector<SchemaAtom> cost;
    for (auto *atoms :
         {&action.positive, &action.negative, &action.added, &action.deleted, &cost}) {
      Rows<int> rows;
      reader(rows);
      *atoms = atoms_of(rows);
    }
    action.cost_atom = cost.at(0);
    action.cost = reader.number();
  }
  return unwritten;
}

} // namespace

std::string to_bytes(const GroundTask &task) {
  Writer writer;
  writer(layout_version);
  writer(static_cast<std::int64_t>(task.solvability));
  writer(std::int64_t{task.reachable_facts});
  writer(std::int64_t{task.reachable_instances});
  if (task.unwritten)
    visit_arrays(task, listed(task), writer);
  else
    visit_arrays(task, task.operators, writer);
  writer(std::int64_t{task.unwritten != nullptr});
  if (task.unwritten)
    write(*task.unwritten, writer);
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
  visit_arrays(task, task.operators, reader);
  if (reader.number() != 0) {
    task.unwritten = std::make_shared<const UnwrittenActions>(read_unwritten(reader));
    task.written = WrittenOperators(*task.unwritten, task.operators.size());
  }
  if (!reader.finished())
    throw std::invalid_argument("more bytes than a task has");
  return task;
}

} // namespace beeline
