#include "task/axiom_evaluator.h"

namespace beeline {

AxiomEvaluator::AxiomEvaluator(const GroundTask &task)
    : variables_(task.variables), axioms_(task.axioms) {
  const Axioms &axioms = task.axioms;
  if (axioms.empty())
    return;
  heads_ = axioms.values;
  derived_.assign(variables_.count(), 0);
  reads_.assign(variables_.count(), 0);
  std::vector<std::vector<int>> consumers(variables_.values()), makers(variables_.values());
  for (std::size_t axiom = 0; axiom < axioms.size(); ++axiom) {
    for (int value : axioms.conditions[axiom])
      consumers[value].push_back(static_cast<int>(axiom));
    makers[axioms.values[axiom]].push_back(static_cast<int>(axiom));
    layer_of_.push_back(axioms.layers[variables_.variable_of[axioms.values[axiom]]]);
    counts_.push_back(static_cast<int>(axioms.conditions[axiom].size()));
    if (axioms.conditions[axiom].empty())
      unconditional_.push_back(static_cast<int>(axiom));
  }
  for (const auto &row : consumers)
    consumers_.add_row(row);
  for (const auto &row : makers)
    makers_.add_row(row);
  for (int variable = 0; variable < variables_.count(); ++variable) {
    const int layer = axioms.layers[variable];
    if (layer >= 0) {
      if (layers_.size() <= static_cast<std::size_t>(layer))
        layers_.resize(static_cast<std::size_t>(layer) + 1);
      layers_[layer].push_back(variable);
      continue;
    }
    for (int value = variables_.offsets[variable]; value < variables_.offsets[variable + 1];
         ++value)
      if (!consumers[value].empty()) {
        read_.push_back(variable);
        reads_[variable] = 1;
        break;
      }
  }
  lost_.resize(layers_.size());
  gained_.resize(layers_.size());
}

} // namespace beeline
