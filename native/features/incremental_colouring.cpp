#include "features/incremental_colouring.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace beeline {

IncrementalColouring::IncrementalColouring(const ColourGraph &graph, ColourTable table,
                                           std::vector<std::int64_t> weights, int max_colours,
                                           bool keeps_last, int fewest_folded)
    : graph_(graph), table_(std::move(table)), weights_(std::move(weights)),
      max_colours_(std::max(max_colours, table_.size())), rounds_(table_.rounds()),
      stride_(rounds_ + 1), kept_(keeps_last ? stride_ : rounds_), folding_(graph, fewest_folded) {
  if (weights_.size() != static_cast<std::size_t>(table_.size()))
    throw std::invalid_argument("a colour table needs one weight per colour");
  const std::size_t nodes = static_cast<std::size_t>(graph.objects()) + graph.atoms();
  colours_.assign(nodes * stride_, absent);
  stamps_.assign(nodes * stride_, 0);
  neighbourhoods_.resize(static_cast<std::size_t>(graph.objects()) * kept_);
  saved_stamps_.assign(neighbourhoods_.size(), 0);
  incident_.resize(graph.objects());
  touched_.resize(stride_);
  first_slot_.push_back(0);
  for (int atom = 0; atom < graph.atoms(); ++atom)
    first_slot_.push_back(first_slot_.back() + static_cast<int>(graph.args(atom).size()));
  place_.assign(first_slot_.back(), -1);
}

void IncrementalColouring::move_to(const StatePacker &packer, const Word *state) {
  if (!started_)
    start(packer, state);
  else
    change_state(packer, state);
  state_.assign(state, state + packer.words());
  for (int object : alone_)
    if (const int hidden = folding_.join(object); hidden >= 0)
      hide(hidden);
  alone_.clear();
}

std::int64_t IncrementalColouring::look_at(const StatePacker &packer, const Word *state) {
  if (!started_)
    move_to(packer, state);
  const std::int64_t before = score_;
  logging_ = true;
  log_.clear();
  change_state(packer, state);
  logging_ = false;
  const std::int64_t result = score_;
  undo();
  score_ = before;
  return result;
}

void IncrementalColouring::start(const StatePacker &packer, const Word *state) {
  const int variables = graph_.task().variables.count();
  variables_in_.resize(variables);
  std::iota(variables_in_.begin(), variables_in_.end(), 0);
  std::stable_sort(variables_in_.begin(), variables_in_.end(), [&](int left, int right) {
    return packer.slot(left).word < packer.slot(right).word;
  });
  first_in_.assign(packer.words() + 1, 0);
  for (int variable = 0; variable < variables; ++variable)
    ++first_in_[packer.slot(variable).word + 1];
  std::partial_sum(first_in_.begin(), first_in_.end(), first_in_.begin());

  started_ = true;
  ++stamp_;
  if (!folding_.empty())
    fold(packer, state);
  for (int object = 0; object < graph_.objects(); ++object)
    if (copies_of(object) > 0) {
      set_colour(object, 0, graph_.object_colours()[object]);
      touch(object, 1);
    }
  for_each_atom(packer, state, [&](int atom, int base) {
    const int node = node_of(atom);
    if (copies_of(node) > 0)
      return place_atom(atom, base);
    if (colour(node, 0) == absent)
      link(atom, Ends::own);
    colour(node, 0) = base;
  });
  change_chains(packer, state);
  refine();
}

void IncrementalColouring::change_state(const StatePacker &packer, const Word *state) {
  if (++stamp_ == 0) { // after four billion states
    std::fill(stamps_.begin(), stamps_.end(), 0);
    std::fill(saved_stamps_.begin(), saved_stamps_.end(), 0);
    ++stamp_;
  }
  const Variables &domains = graph_.task().variables;
  for (int word = 0; word < packer.words(); ++word) {
    if (state[word] == state_[word])
      continue;
    for (int i = first_in_[word]; i < first_in_[word + 1]; ++i) {
      const int variable = variables_in_[i];
      const int before = packer.get(state_.data(), variable), after = packer.get(state, variable);
      if (before == after)
        continue;
      const int old_fact = domains.fact_of[domains.offsets[variable] + before];
      const int new_fact = domains.fact_of[domains.offsets[variable] + after];
      if (old_fact >= 0)
        change_atom(old_fact, graph_.colour_if_false(old_fact));
      if (new_fact >= 0)
        change_atom(new_fact, graph_.colour_if_true(new_fact));
    }
  }
  change_chains(packer, state);
  refine();
}

// Chains are there while their facts are true in the state that is gone to.
void IncrementalColouring::change_chains(const StatePacker &packer, const Word *state) {
  const GroundTask &task = graph_.task();
  const auto holds = [&](int fact) {
    const int value = task.fact_values[fact];
    const int variable = task.variables.variable_of[value];
    return task.variables.offsets[variable] + packer.get(state, variable) == value;
  };
  for (int fact : changed_facts_) {
    work_ += static_cast<std::int64_t>(graph_.chains_with(fact).size());
    for (int atom : graph_.chains_with(fact)) {
      const Chain &chain = graph_.chain(atom);
      const bool is_there = holds(chain.first) && (chain.second < 0 || holds(chain.second));
      change_atom(atom, is_there ? graph_.chain_colour() : absent);
    }
  }
  changed_facts_.clear();
}

void IncrementalColouring::change_atom(int atom, int base) {
  const int before = colour(node_of(atom), 0);
  if (before == base)
    return;
  if (const int object = folding_.object_of(atom); object >= 0) {
    if (!folding_.is_alone(object))
      single_out(object);
    if (!logging_)
      folding_.change_look(object, atom, before, base);
  }
  place_atom(atom, base);
}

void IncrementalColouring::place_atom(int atom, int base) {
  const int node = node_of(atom);
  const int before = colour(node, 0);
  if (before == base)
    return;
  if (atom < graph_.facts() && !graph_.chains_with(atom).empty())
    changed_facts_.push_back(atom);
  if (base == absent) {
    for (int round = 0; round <= rounds_; ++round) {
      if (round < kept_)
        replace_neighbour(atom, round, colour(node, round), absent);
      set_colour(node, round, absent);
    }
    unlink(atom, Ends::all);
    note(Undo::Kind::unlinked, atom, 0);
    return;
  }
  if (before == absent) {
    link(atom, Ends::all);
    note(Undo::Kind::linked, atom, 0);
  }
  if (kept_ > 0)
    replace_neighbour(atom, 0, before, base);
  set_colour(node, 0, base);
  touch(node, 1);
}

// Round by round, new colours of the nodes that a change has reached.
void IncrementalColouring::refine() {
  const int objects = graph_.objects();
  for (int round = 1; round <= rounds_; ++round) {
    std::vector<int> &nodes = touched_[round];
    const bool last = round == rounds_;
    work_ += static_cast<std::int64_t>(nodes.size());
    for (int node : nodes) {
      const bool is_object = node < objects;
      if (!is_object && colour(node, 0) == absent)
        continue;
      const int before = colour(node, round);
      const int after = is_object ? new_object_colour(node, round - 1)
                                  : new_atom_colour(node - objects, round - 1);
      if (before == after)
        continue;
      set_colour(node, round, after);
      if (last && (is_object || kept_ == rounds_))
        continue;
      touch(node, round + 1);
      if (is_object) {
        work_ += static_cast<std::int64_t>(incident_[node].size());
        for (const Incidence &incidence : incident_[node])
          touch(node_of(incidence.atom), round + 1);
      } else {
        replace_neighbour(node - objects, round, before, after);
      }
    }
    nodes.clear();
  }
}

void IncrementalColouring::touch(int node, int round) {
  if (round > rounds_)
    return;
  unsigned &stamp = stamps_[static_cast<std::size_t>(node) * stride_ + round];
  if (stamp == stamp_)
    return;
  stamp = stamp_;
  touched_[round].push_back(node);
}

void IncrementalColouring::set_colour(int node, int round, int after) {
  int &entry = colour(node, round);
  const int known = static_cast<int>(weights_.size());
  const std::int64_t copies = copies_of(node);
  if (entry >= 0 && entry < known)
    score_ -= weights_[entry] * copies;
  if (after >= 0 && after < known)
    score_ += weights_[after] * copies;
  note(Undo::Kind::colour, node * stride_ + round, entry);
  entry = after;
}

int IncrementalColouring::new_object_colour(int object, int round) {
  const int own = colour(object, round);
  const Neighbourhood &neighbours = neighbourhood(object, round);
  if (own == unseen || neighbours.unseen_count > 0)
    return unseen;
  work_ += static_cast<std::int64_t>(neighbours.items.size()) / 4; // compared with the table's
  return look_up(own, neighbours.items, neighbours.sum);
}

int IncrementalColouring::new_atom_colour(int atom, int round) {
  const int own = colour(node_of(atom), round);
  if (own == unseen)
    return unseen;
  row_.clear();
  std::uint64_t sum = 0;
  int position = 0;
  work_ += static_cast<std::int64_t>(graph_.args(atom).size());
  for (int object : graph_.args(atom)) {
    const int neighbour = colour(object, round);
    if (neighbour == unseen)
      return unseen;
    const std::int32_t key = neighbour_key(neighbour, position++);
    row_.push_back({key, 1});
    sum += neighbour_hash(key);
  }
  return look_up(own, row_, sum);
}

int IncrementalColouring::look_up(int own, std::span<const Neighbour> neighbours,
                                  std::uint64_t sum) {
  const int known = table_.find(own, neighbours, sum);
  if (known != unseen || table_.size() >= max_colours_)
    return known;
  return table_.find_or_add(own, neighbours, sum);
}

void IncrementalColouring::link(int atom, Ends ends) {
  int slot = first_slot_[atom] - 1;
  for (int object : graph_.args(atom)) {
    ++slot;
    if (!is_meant(ends, object))
      continue;
    place_[slot] = static_cast<int>(incident_[object].size());
    incident_[object].push_back({atom, slot});
  }
}

void IncrementalColouring::unlink(int atom, Ends ends) {
  int slot = first_slot_[atom] - 1;
  for (int object : graph_.args(atom)) {
    ++slot;
    if (!is_meant(ends, object))
      continue;
    std::vector<Incidence> &list = incident_[object];
    list[place_[slot]] = list.back();
    place_[list.back().slot] = place_[slot];
    list.pop_back();
  }
}

void IncrementalColouring::replace_neighbour(int atom, int round, int old_colour, int new_colour) {
  int position = 0;
  work_ += static_cast<std::int64_t>(graph_.args(atom).size());
  const int all = copies_of(node_of(atom));
  for (int object : graph_.args(atom)) {
    const int copies = folding_.is_foldable(object) ? 1 : all; // each of them has its own
    if (old_colour != absent)
      remove_neighbour(object, round, old_colour, position, copies);
    if (new_colour != absent)
      add_neighbour(object, round, new_colour, position, copies);
    ++position;
  }
}

IncrementalColouring::Neighbourhood &IncrementalColouring::to_change(int object, int round) {
  const std::size_t where = static_cast<std::size_t>(object) * kept_ + round;
  Neighbourhood &neighbours = neighbourhoods_[where];
  if (logging_ && saved_stamps_[where] != stamp_) {
    saved_stamps_[where] = stamp_;
    if (saved_count_ == saved_.size())
      saved_.emplace_back();
    Saved &saved = saved_[saved_count_++];
    saved.where = static_cast<std::int32_t>(where);
    work_ += static_cast<std::int64_t>(neighbours.items.size()) / 4;
    saved.before.items.assign(neighbours.items.begin(), neighbours.items.end());
    saved.before.sum = neighbours.sum;
    saved.before.unseen_count = neighbours.unseen_count;
  }
  return neighbours;
}

namespace {

template <class Items>
auto place_of(Items &items, std::int32_t key) {
  return std::lower_bound(items.begin(), items.end(), key,
                          [](const Neighbour &item, std::int32_t k) { return item.key < k; });
}

} // namespace

void IncrementalColouring::add_neighbour(int object, int round, int colour, int position,
                                         int copies) {
  Neighbourhood &neighbours = to_change(object, round);
  if (colour == unseen) {
    neighbours.unseen_count += copies;
    touch(object, round + 1);
    return;
  }
  const std::int32_t key = neighbour_key(colour, position);
  const auto place = place_of(neighbours.items, key);
  const bool is_new = place == neighbours.items.end() || place->key != key;
  if (is_new)
    neighbours.items.insert(place, {key, copies});
  else
    place->count += copies;
  if (is_new || table_.multiset()) {
    const int counted = table_.multiset() ? copies : 1;
    neighbours.sum += static_cast<std::uint64_t>(counted) * neighbour_hash(key);
    touch(object, round + 1);
  }
}

void IncrementalColouring::remove_neighbour(int object, int round, int colour, int position,
                                            int copies) {
  Neighbourhood &neighbours = to_change(object, round);
  if (colour == unseen) {
    neighbours.unseen_count -= copies;
    touch(object, round + 1);
    return;
  }
  const std::int32_t key = neighbour_key(colour, position);
  const auto place = place_of(neighbours.items, key);
  const bool is_last = (place->count -= copies) == 0;
  if (is_last)
    neighbours.items.erase(place);
  if (is_last || table_.multiset()) {
    const int counted = table_.multiset() ? copies : 1;
    neighbours.sum -= static_cast<std::uint64_t>(counted) * neighbour_hash(key);
    touch(object, round + 1);
  }
}

void IncrementalColouring::undo() {
  for (auto step = log_.rbegin(); step != log_.rend(); ++step) {
    switch (step->kind) {
    case Undo::Kind::colour:
      colours_[step->where] = step->what;
      break;
    case Undo::Kind::linked:
      unlink(step->where, Ends::all);
      break;
    case Undo::Kind::unlinked:
      link(step->where, Ends::all);
      break;
    case Undo::Kind::alone:
      if (const int hidden = folding_.take_back(step->where); hidden >= 0)
        hide(hidden);
      break;
    }
  }
  alone_.clear();
  for (std::size_t i = 0; i < saved_count_; ++i)
    std::swap(neighbourhoods_[saved_[i].where], saved_[i].before);
  saved_count_ = 0;
}

} // namespace beeline
