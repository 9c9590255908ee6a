// FullColouring: the colours of a state, computed from scratch.
//
// Colour refinement (Weisfeiler and Leman, 1968; as features: Shervashidze et al., JMLR 2011):
// in each round a node's new colour stands for its old one together with those of its neighbours.
// Cost: rounds * edges table look-ups and, per object, a sort of its neighbours. This is the
// reference that incremental colouring must equal, and what training uses.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "features/colour_graph.h"
#include "features/colour_table.h"
#include "state/packing.h"

namespace beeline {

class FullColouring {
public:
  explicit FullColouring(const ColourGraph &graph);

  // Colours of all nodes in rounds 0 to table.rounds(), in one list; a node without a colour
  // in the table has `unseen` there. With `collect`, new rows join the table instead.
  const std::vector<int> &compute(const StatePacker &packer, const Word *state, ColourTable &table,
                                  bool collect);
  std::size_t nodes() const { return nodes_; } // of the state that was computed last
  // Its colours as node * (rounds + 1) + round, all objects first, then all atoms of the graph;
  // `absent` for atoms that are no nodes.
  std::vector<int> by_node() const;
  // The atoms around each object, as object * (rounds + 1) + round; without those that have no
  // colour in the table.
  std::vector<std::vector<Neighbour>> around() const;

private:
  void find_nodes(const StatePacker &packer, const Word *state);
  int object_colour(ColourTable &table, bool collect, int object);
  int atom_colour(ColourTable &table, bool collect, std::size_t place);

  const ColourGraph &graph_;
  std::vector<int> atoms_, base_; // of this state: atoms that are nodes, and their base colours
  std::vector<std::int32_t> first_, fill_; // per object: its stretch in keys_
  std::vector<std::int32_t> keys_;
  std::vector<int> old_, colours_; // objects, then atoms_
  std::vector<Neighbour> neighbours_;
  std::size_t nodes_ = 0;
};

} // namespace beeline
