#include "networks/nlm.h"

#include <algorithm>
#include <exception>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "networks/nlm_weights.h"
#include "networks/nlm_workspace.h"

namespace beeline {

namespace {

constexpr std::size_t most_chunks = 16; // of a batch; more threads than this have nothing to do

// Calls work(chunk, first state, last state) for all chunks.
template <class Work>
void for_each_chunk(std::size_t states, int threads, const Work &work) {
  const std::size_t chunks = std::min(states, most_chunks);
  const std::size_t workers = std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(chunks, 1));
  std::vector<std::exception_ptr> failures(workers);
  auto run = [&](std::size_t worker) {
    try {
      for (std::size_t chunk = worker; chunk < chunks; chunk += workers)
        work(chunk, states * chunk / chunks, states * (chunk + 1) / chunks);
    } catch (...) {
      failures[worker] = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (std::size_t worker = 1; worker < workers; ++worker)
    others.emplace_back(run, worker);
  run(0);
  for (std::thread &other : others)
    other.join();
  for (const std::exception_ptr &failure : failures)
    if (failure)
      std::rethrow_exception(failure);
}

} // namespace

// A workspace from those that lie idle, or a new one; it goes back in the end.
class NeuralLogicMachine::Loan {
public:
  explicit Loan(const NeuralLogicMachine &owner) : owner_(owner) {
    const std::lock_guard lock(owner.idle_lock_);
    if (!owner.idle_.empty()) {
      workspace_ = std::move(owner.idle_.back());
      owner.idle_.pop_back();
    } else {
      workspace_ = std::make_unique<NlmWorkspace>();
    }
  }
  ~Loan() {
    const std::lock_guard lock(owner_.idle_lock_);
    owner_.idle_.push_back(std::move(workspace_));
  }
  NlmWorkspace *operator->() { return workspace_.get(); }

private:
  const NeuralLogicMachine &owner_;
  std::unique_ptr<NlmWorkspace> workspace_;
};

NeuralLogicMachine::~NeuralLogicMachine() = default;

NeuralLogicMachine::NeuralLogicMachine(const NlmShape &shape) : shape_(shape) {
  if (shape.width < 1 || shape.width > 256 || shape.depth < 1 || shape.depth > 64 ||
      shape.heads < 1 || shape.heads > 1024 || shape.breadth < 1 || shape.breadth > most_arity)
    throw std::invalid_argument("a network of this shape is not possible");
  for (int arity = 0; arity <= most_arity; ++arity)
    if (shape.inputs[arity] < 0 || (arity > shape.breadth && shape.inputs[arity] > 0))
      throw std::invalid_argument("input predicates have a larger arity than the network");
  std::array<int, most_arity + 1> inputs = shape.inputs;
  int permutations[] = {1, 1, 2, 6};
  for (int depth = 0; depth < shape.depth; ++depth) {
    NlmLayer layer;
    layer.inputs = inputs;
    const int layers_above = shape.depth - 1 - depth;
    for (int arity = 0; arity <= std::min(shape.breadth, layers_above); ++arity) {
      layer.outputs[arity] = layers_above == 0 ? shape.heads : shape.width;
      const int below = arity > 0 ? inputs[arity - 1] : 0;
      const int above = arity < shape.breadth ? inputs[arity + 1] : 0;
      layer.rows[arity] = permutations[arity] * (below + inputs[arity] + 2 * above);
      layer.weights[arity] = parameters_;
      layer.bias[arity] = parameters_ + std::size_t(layer.rows[arity]) * layer.outputs[arity];
      parameters_ = layer.bias[arity] + layer.outputs[arity];
    }
    layers_.push_back(layer);
    inputs = layer.outputs;
  }
  layout_ = std::make_unique<const NlmLayout>(layers_, shape.breadth);
}

void NeuralLogicMachine::check(std::span<const float> parameters,
                               const RelationalBatch &batch) const {
  if (parameters.size() != parameters_)
    throw std::invalid_argument("a wrong number of parameters");
  if (batch.starts.size() != batch.size() + 1 || batch.starts[0] < 0 ||
      static_cast<std::size_t>(batch.starts.back()) > batch.items.size())
    throw std::invalid_argument("the rows of the batch do not fit its facts");
  for (const RelationalEncoding *encoding : batch.encodings)
    if (encoding->channels() != shape_.inputs)
      throw std::invalid_argument("an encoding with other input predicates than the network's");
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const std::int32_t number = batch.encoding_of[i];
    if (number < 0 || static_cast<std::size_t>(number) >= batch.encodings.size())
      throw std::out_of_range("no encoding with this number");
    if (batch.starts[i] > batch.starts[i + 1])
      throw std::invalid_argument("the rows of the batch do not fit its facts");
    const auto facts = static_cast<std::int64_t>(batch.encodings[number]->facts());
    for (std::int64_t at = batch.starts[i]; at < batch.starts[i + 1]; ++at)
      if (batch.items[at] < 0 || batch.items[at] >= facts)
        throw std::out_of_range("no fact with this number");
  }
}

std::vector<std::size_t> NeuralLogicMachine::order(const RelationalBatch &batch) const {
  Loan workspace(*this);
  std::vector<std::uint64_t> keys(batch.size());
  for (std::size_t i = 0; i < batch.size(); ++i)
    keys[i] = workspace->key(batch, i, shape_.breadth);
  std::vector<std::size_t> result(batch.size());
  std::iota(result.begin(), result.end(), std::size_t{0});
  std::ranges::stable_sort(result, {}, [&](std::size_t i) { return keys[i]; });
  return result;
}

void NeuralLogicMachine::forward(std::span<const float> parameters, const RelationalBatch &batch,
                                 std::span<float> values, int threads) const {
  check(parameters, batch);
  const NlmWeights weights(*layout_, parameters, false);
  const std::vector<std::size_t> states = order(batch);
  for_each_chunk(batch.size(), threads, [&](std::size_t, std::size_t first, std::size_t last) {
    Loan workspace(*this);
    workspace->begin(parameters);
    for (std::size_t i = first; i < last; ++i) {
      const float *heads = workspace->forward(*this, weights, batch, states[i]);
      std::copy_n(heads, shape_.heads, values.data() + states[i] * shape_.heads);
    }
  });
}

void NeuralLogicMachine::backward(std::span<const float> parameters, const RelationalBatch &batch,
                                  std::span<const float> slopes, std::span<float> gradient,
                                  int threads) const {
  check(parameters, batch);
  const NlmWeights weights(*layout_, parameters, true);
  const std::vector<std::size_t> states = order(batch);
  // A sum for each chunk, added up in order: the same result for any number of threads.
  const std::size_t chunks = std::min(batch.size(), most_chunks);
  std::vector<std::vector<float>> sums(chunks, std::vector<float>(layout_->packed_size(), 0.0F));
  for_each_chunk(
      batch.size(), threads, [&](std::size_t chunk, std::size_t first, std::size_t last) {
        Loan workspace(*this);
        workspace->begin(parameters);
        float *sum = sums[chunk].data();
        for (std::size_t i = first; i < last; ++i) {
          workspace->forward(*this, weights, batch, states[i], sum);
          workspace->backward(*this, weights, slopes.data() + states[i] * shape_.heads, sum);
        }
        workspace->complete(*this, weights, sum);
      });
  std::vector<float> total(layout_->packed_size(), 0.0F);
  for (const std::vector<float> &sum : sums)
    for (std::size_t i = 0; i < total.size(); ++i)
      total[i] += sum[i];
  layout_->for_each_row([&](const NlmPiece &, int, int outputs, std::size_t row, std::size_t at) {
    std::copy_n(total.data() + row, outputs, gradient.data() + at);
  });
}

} // namespace beeline
