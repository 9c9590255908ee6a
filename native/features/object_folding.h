// ObjectFolding: objects that are the same but for their names, of which one stands for all.
//
// A thousand balls in a room that all belong into the next one stand in the same atoms, each with
// itself in its place, and refinement gives them the same colours in every round. So one of them is
// enough, with the number of those that it stands for: whatever happens to the room is worked out
// once. An object that an operator changes stands alone until the state is left or the change is
// complete; then it joins those that it has become like. Neither alters a colour or a sum.
//
// Objects can be folded if no atom has two of them. They are alike if the sums of the hashes of
// their atoms, 64 bits, are equal. Worth it only for many objects in few classes.

#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "features/colour_graph.h"

namespace beeline {

class ObjectFolding {
public:
  static constexpr int fewest = 256; // objects

  // Finds out which objects can be folded: none if there are less than so many. With 0, also where
  // nothing is gained.
  explicit ObjectFolding(const ColourGraph &graph, int fewest_objects = fewest);
  ObjectFolding(const ObjectFolding &) = delete; // classes know where their order is
  ObjectFolding &operator=(const ObjectFolding &) = delete;

  bool empty() const { return foldable_.empty(); }
  bool is_foldable(int object) const { return !foldable_.empty() && foldable_[object] != 0; }
  // Per object; empty if none can be folded.
  const std::vector<char> &foldable() const { return foldable_; }
  // The object of an atom that can be folded, or -1.
  int object_of(int atom) const {
    if (!foldable_.empty())
      for (int object : graph_.args(atom))
        if (foldable_[object] != 0)
          return object;
    return -1;
  }

  // What an atom of this base colour looks like but for its own object.
  std::uint64_t look(int atom, int base) const;
  // The atom of an object became another one; before `begin`, or while the object stands alone.
  void change_look(int object, int atom, int before, int after);

  // Makes classes of all objects. False if they are too many to gain by that; then it is empty.
  bool begin();

  // How many objects this one stands for: 0 if another one stands for it.
  int copies(int object) const { return copies_[object]; }
  const std::vector<int> &all_copies() const { return copies_; }
  // The object that stands for this one.
  int leader(int object) const {
    return copies_.empty() || copies_[object] > 0 ? object : *classes_[class_of_[object]].begin();
  }
  // Those that stand for themselves and others, in no particular order.
  void append_leaders(std::vector<int> &objects) const;

  bool is_alone(int object) const { return alone_[object] != 0; }
  // Takes an object out of its class. The object whose colours it takes over, or which takes over
  // its own ones as the new leader: (from, to), or the same twice if nothing is to be done.
  std::pair<int, int> stand_alone(int object);
  // The reverse, if nothing else has changed: the object that no longer stands for any, or -1.
  int take_back(int object);
  // Puts an object that stands alone into the class that it belongs to now. The object that no
  // longer stands for any, or -1.
  int join(int object);

private:
  struct ByOrder {
    const std::vector<int> *order;
    bool operator()(int left, int right) const { return (*order)[left] < (*order)[right]; }
  };
  using Members = std::set<int, ByOrder>; // the first one leads

  int class_like(std::uint64_t look);
  int insert(int object);

  const ColourGraph &graph_;
  bool always_;
  std::vector<char> foldable_;       // per object
  std::vector<int> order_;           // per object: by the values of its facts
  std::vector<std::uint64_t> looks_; // per object: sum over its atoms
  std::vector<int> copies_;          // per object
  std::vector<int> class_of_;        // per object
  std::vector<char> alone_;          // per object
  std::vector<Members> classes_;
  std::unordered_map<std::uint64_t, int> known_; // look -> class
};

} // namespace beeline
