// Poll: how long-running native work stays interruptible.
//
// The engine knows nothing of signals or Python. Whoever starts long work hands in a callback
// that may throw; the work calls `tick()` in its inner loop, and the callback runs once in a
// while.

#pragma once

#include <functional>
#include <utility>

namespace beeline {

class Poll {
public:
  Poll() = default;
  explicit Poll(std::function<void()> callback) : callback_(std::move(callback)) {}

  void tick() {
    if (++ticks_ % interval == 0)
      now();
  }

  // At once, between long phases.
  void now() {
    if (callback_)
      callback_();
  }

private:
  static constexpr unsigned interval = 1U << 16;
  std::function<void()> callback_;
  unsigned ticks_ = 0;
};

} // namespace beeline
