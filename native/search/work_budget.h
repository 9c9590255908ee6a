// WorkBudget: how long an improvement may go on.
//
// Work is counted in generated states, so that equal calls do equal work; where successors are dear
// to find or to make, they count as several. The clock, the memory and whoever watches are asked
// now and then, and can only end it early.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>

#include "base/memory.h"
#include "search/search_types.h"

namespace beeline {

// Looked at by a successor generator (`looked_at`): what costs as much as a usual state.
constexpr std::int64_t looks_per_state = 16;

class WorkBudget {
public:
  // Of one turn.
  void begin(std::int64_t work, double seconds, std::size_t bytes,
             std::function<bool(const SearchProgress &)> watch) {
    constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max();
    end_ = work > no_end - spent_ ? no_end : spent_ + work;
    seconds_ = seconds;
    bytes_ = bytes;
    watch_ = std::move(watch);
    start_ = Clock::now();
    stop_ = Stop::none;
    next_watch_ = 0;
  }

  void spend(std::int64_t work) { spent_ += work; }
  std::int64_t spent() const { return spent_; }
  // Whether the work of the turn is not yet done, and nothing has ended it.
  bool has_work_left() { return spent_ < end_ && stop_ == Stop::none && look(); }

  // To be asked about once for each expanded state; false if the clock, the memory or the watch
  // says no, whatever work is left.
  bool goes_on() {
    if (stop_ != Stop::none)
      return false;
    constexpr unsigned interval = 256;
    return ++questions_ % interval != 0 || look();
  }

  enum class Stop { none, time, memory, watch };
  Stop stop() const { return stop_; }
  void end(Stop why) { stop_ = why; }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

private:
  using Clock = std::chrono::steady_clock;

  bool look() {
    const double now = seconds();
    constexpr double watch_interval = 0.1;
    if (now >= seconds_)
      stop_ = Stop::time;
    else if (now >= next_watch_) {
      next_watch_ = now + watch_interval;
      SearchProgress progress;
      progress.counters.generated = spent_;
      progress.seconds = now;
      if (resident_bytes() > bytes_)
        stop_ = Stop::memory;
      else if (watch_ && !watch_(progress))
        stop_ = Stop::watch;
    }
    return stop_ == Stop::none;
  }

  std::int64_t spent_ = 0, end_ = 0;
  double seconds_ = std::numeric_limits<double>::infinity();
  std::size_t bytes_ = std::numeric_limits<std::size_t>::max();
  std::function<bool(const SearchProgress &)> watch_;
  Clock::time_point start_ = Clock::now();
  Stop stop_ = Stop::none;
  double next_watch_ = 0;
  unsigned questions_ = 0;
};

} // namespace beeline
