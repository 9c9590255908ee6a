#include "base/strong_components.h"

#include <algorithm>

namespace beeline {

namespace {

class Tarjan {
public:
  explicit Tarjan(const Rows<int> &successors)
      : successors_(successors), index_(successors.size(), 0), low_(successors.size(), 0),
        on_stack_(successors.size(), 0) {}

  std::vector<std::vector<int>> run() {
    for (std::size_t node = 0; node < successors_.size(); ++node)
      if (index_[node] == 0)
        visit(static_cast<int>(node));
    std::reverse(components_.begin(), components_.end());
    return std::move(components_);
  }

private:
  struct Frame {
    int node;
    std::size_t next_successor;
  };

  void open(int node) {
    index_[node] = low_[node] = ++counter_;
    stack_.push_back(node);
    on_stack_[node] = 1;
    frames_.push_back({node, 0});
  }

  void visit(int root) {
    open(root);
    while (!frames_.empty()) {
      Frame &frame = frames_.back();
      const int node = frame.node;
      const auto successors = successors_[node];
      if (frame.next_successor < successors.size()) {
        const int next = successors[frame.next_successor++];
        if (index_[next] == 0)
          open(next);
        else if (on_stack_[next])
          low_[node] = std::min(low_[node], index_[next]);
        continue;
      }
      if (low_[node] == index_[node])
        close_component(node);
      frames_.pop_back();
      if (!frames_.empty())
        low_[frames_.back().node] = std::min(low_[frames_.back().node], low_[node]);
    }
  }

  void close_component(int root) {
    const auto first = std::find(stack_.rbegin(), stack_.rend(), root).base() - 1;
    components_.emplace_back(first, stack_.end());
    for (int node : components_.back())
      on_stack_[node] = 0;
    stack_.erase(first, stack_.end());
  }

  const Rows<int> &successors_;
  std::vector<int> index_, low_;
  std::vector<char> on_stack_;
  int counter_ = 0;
  std::vector<int> stack_;
  std::vector<Frame> frames_;
  std::vector<std::vector<int>> components_;
};

} // namespace

std::vector<std::vector<int>> strong_components(const Rows<int> &successors) {
  return Tarjan(successors).run();
}

} // namespace beeline
