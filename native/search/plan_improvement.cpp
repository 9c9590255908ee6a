#include "search/plan_improvement.h"

#include <algorithm>
#include <new>
#include <stdexcept>

#include "base/hashing.h"

namespace beeline {

namespace {

constexpr std::int64_t greedy_elimination = 20'000'000; // simulated steps
constexpr std::int64_t elimination = 50'000'000;
constexpr std::int64_t simulated_per_generated = 16;
constexpr std::int64_t to_the_end = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t orders = 4;
constexpr std::size_t most_searched = std::size_t{1} << 20;
constexpr std::array<std::int64_t, 3> parts{4, 1, 1}; // of the work, per method
constexpr double enough_completed = 0.4;              // windows, for wider ones
// Of operators: where products have so many, most of them applicable, no state can be expanded.
constexpr double crowd = 4e6;

} // namespace

PlanImprover::PlanImprover(const PlanWorld &world, std::vector<int> plan)
    : world_(world), trace_(world), elimination_(world, greedy_elimination, elimination) {
  if (!trace_.replay(std::move(plan)))
    throw std::invalid_argument("this is no plan of the task");
  for (int object : world.task.operators.args.items())
    objects_ = std::max(objects_, static_cast<std::size_t>(object) + 1);
  if (world.task.unwritten)
    objects_ = static_cast<std::size_t>(world.task.unwritten->objects);
}

bool PlanImprover::eliminate() { return elimination_.eliminate(trace_); }

bool PlanImprover::offer(std::vector<int> plan) {
  PlanTrace other(world_);
  if (!other.replay(std::move(plan)))
    throw std::invalid_argument("this is no plan of the task");
  elimination_.eliminate(other);
  if (other.price() >= trace_.price())
    return false;
  take(other.plan());
  return true;
}

void PlanImprover::take(std::vector<int> plan) {
  trace_.replay(std::move(plan));
  near_.exhausted = wide_.exhausted = all_neighbours_ = finished_ = optimal_ = false;
}

void PlanImprover::advance(std::int64_t generated, double seconds, std::size_t bytes,
                           std::function<bool(const SearchProgress &)> watch, bool until_better) {
  budget_.begin(generated, seconds, bytes, std::move(watch));
  const Cost before = trace_.price();
  if (world_.successors.has_products() && world_.task.operator_count() >= crowd)
    budget_.end(WorkBudget::Stop::memory);
  while (!finished_ && budget_.has_work_left()) {
    const auto method = next_method();
    if (!method) {
      finished_ = true;
      break;
    }
    const std::vector<int> plan = trace_.plan();
    try {
      step(*method);
    } catch (const std::bad_alloc &) {
      window_search_.reset();
      neighbourhood_.reset();
      trace_.replay(plan);
      budget_.end(WorkBudget::Stop::memory);
    }
    finished_ = optimal_;
    if (until_better && trace_.price() < before)
      break;
  }
}

// Whoever has had least of what it should have.
std::optional<PlanImprover::Method> PlanImprover::next_method() const {
  const std::array<bool, methods> over{near_.exhausted, wide_.exhausted, all_neighbours_};
  std::optional<Method> next;
  for (const Method method : {near_windows, wide_windows, neighbours})
    if (!over[method] && (!next || spent_[method] * parts[*next] < spent_[*next] * parts[method]))
      next = method;
  return next;
}

void PlanImprover::step(Method method) {
  const std::int64_t before = budget_.spent();
  if (!window_search_)
    window_search_ = std::make_unique<WindowSearch>(world_);
  if (!neighbourhood_)
    neighbourhood_ = std::make_unique<Neighbourhood>(world_);
  if (method == neighbours)
    look_around();
  else
    slide(method == near_windows ? near_ : wide_);
  spent_[method] += budget_.spent() - before;
}

void PlanImprover::slide(Sliding &sliding) {
  const std::size_t steps = trace_.steps();
  if (sliding.place == 0)
    arrange(sliding.passes);
  const std::size_t first = sliding.place, last = std::min(steps, first + sliding.width);
  try_window(sliding, first, last);
  if (last >= steps)
    end_pass(sliding);
  else
    sliding.place = first + std::max<std::size_t>(1, sliding.width / 2);
}

void PlanImprover::try_window(Sliding &sliding, std::size_t first, std::size_t last) {
  budget_.spend(1);
  ++sliding.tried;
  std::int64_t &searched = searched_[fingerprint(first, last, sliding.confined)];
  if (searched >= sliding.limit) {
    sliding.completed += searched == to_the_end ? 1 : 0;
    return;
  }
  WindowSearch::Confinement confinement{sliding.confined, {}};
  if (sliding.confined) {
    confinement.objects.assign(objects_, false);
    for (std::size_t step = first; step < last; ++step)
      for (int object : world_.task.operators.args[trace_.plan()[step]])
        confinement.objects[object] = true;
  }
  WindowOutcome outcome =
      window_search_->search(trace_.state(first), trace_.need(last), trace_.price(first, last),
                             sliding.limit, confinement, budget_);
  if (budget_.stop() != WorkBudget::Stop::none)
    return;
  searched = outcome.exhausted ? to_the_end : sliding.limit;
  sliding.completed += outcome.exhausted ? 1 : 0;
  if (searched_.size() > most_searched)
    searched_.clear();
  // Bounds know operators that were met, and prove nothing where there are others.
  const bool optimal = outcome.exhausted && first == 0 && last == trace_.steps() &&
                       !sliding.confined && !world_.task.unwritten;
  if (!outcome.way) {
    optimal_ = optimal_ || optimal;
    return;
  }
  std::vector<int> plan(trace_.plan().begin(),
                        trace_.plan().begin() + static_cast<std::ptrdiff_t>(first));
  plan.insert(plan.end(), outcome.way->begin(), outcome.way->end());
  plan.insert(plan.end(), trace_.plan().begin() + static_cast<std::ptrdiff_t>(last),
              trace_.plan().end());
  take(std::move(plan));
  optimal_ = optimal;
  sliding.improved = true;
}

void PlanImprover::end_pass(Sliding &sliding) {
  sliding.place = 0;
  ++sliding.passes;
  if (sliding.improved) {
    elimination_.eliminate(trace_);
    budget_.spend(elimination_.simulated() / simulated_per_generated);
  }
  sliding.fruitless = sliding.improved ? 0 : sliding.fruitless + 1;
  sliding.improved = false;
  if (sliding.fruitless < orders)
    return;
  sliding.fruitless = 0;
  if (static_cast<double>(sliding.completed) >=
      enough_completed * static_cast<double>(sliding.tried)) {
    if (sliding.width >= trace_.steps() && sliding.completed == sliding.tried)
      sliding.exhausted = true;
    sliding.width += (sliding.width + 1) / 2;
  } else {
    sliding.limit *= 2;
  }
  sliding.tried = sliding.completed = 0;
}

void PlanImprover::arrange(std::size_t pass) {
  if (pass % orders == 0)
    return;
  const std::vector<int> plan = trace_.plan();
  const PlanOrder order(world_, plan);
  std::vector<int> arranged = pass % orders == 1   ? order.early_by_object(pass)
                              : pass % orders == 2 ? order.late_by_object(pass)
                                                   : order.chained();
  trace_.replay(std::move(arranged));
  budget_.spend(static_cast<std::int64_t>(plan.size() / 2));
}

void PlanImprover::look_around() {
  auto plan = neighbourhood_->cheaper(trace_, neighbours_, budget_);
  if (budget_.stop() != WorkBudget::Stop::none)
    return;
  if (plan) {
    take(std::move(*plan));
    elimination_.eliminate(trace_);
    budget_.spend(elimination_.simulated() / simulated_per_generated);
    optimal_ = neighbourhood_->complete();
    return;
  }
  all_neighbours_ = neighbourhood_->complete();
  optimal_ = optimal_ || all_neighbours_;
  neighbours_ *= 2;
}

// Of the window as a task: where it begins, what it must reach, at which price, by which steps.
std::uint64_t PlanImprover::fingerprint(std::size_t first, std::size_t last, bool confined) const {
  std::uint64_t hash = confined ? 1 : 2;
  const auto absorb = [&hash](std::uint64_t chunk) { hash = mix(hash ^ chunk) + chunk; };
  const Need need = trace_.need(last);
  for (int word = 0; word < need.words; ++word) {
    absorb(trace_.state(first)[word]);
    absorb(need.mask[word] | static_cast<std::uint64_t>(need.bits[word]) << 32);
  }
  absorb(static_cast<std::uint64_t>(trace_.price(first, last)));
  std::uint64_t steps = 0; // in whatever order
  if (confined)
    for (std::size_t step = first; step < last; ++step)
      steps += mix(static_cast<std::uint64_t>(trace_.plan()[step]) + 1);
  absorb(steps);
  return hash;
}

} // namespace beeline
