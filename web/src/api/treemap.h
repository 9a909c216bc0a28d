// Treemap: the largest entries below a place, as many as are wanted, as they lie in one another.
//
// Guarantees: of all entries within the limits those are shown that have most bytes, each with the
// directories that it stands in; of equal ones those that are found first, from the largest
// directory to the smallest and in each by name. Making it takes time in proportion to what stands
// in the directories that are shown.
//
//   const Treemap map(snapshot, place, Weights(snapshot, Measure::disk), {.nodes = 100});
//   for (const Treemap::Node& node : map.nodes()) ...

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "api/snapshot.h"
#include "api/weights.h"

namespace fathom::web {

class Treemap {
 public:
  struct Limits {
    std::uint64_t depth = 3;     // levels below the place
    std::uint64_t nodes = 2000;  // the place included
    double min_share = 0;        // of the bytes of the place
  };

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  // Others are meant by their place among nodes(), or by kNone.
  struct Node {
    Place place;
    std::uint64_t bytes;
    std::uint64_t depth;
    std::size_t parent;
    std::size_t first_child = kNone;  // the largest
    std::size_t last_child = kNone;
    std::size_t next = kNone;       // behind it in its directory
    std::uint64_t shown = 0;        // of its children
    std::uint64_t shown_bytes = 0;  // of theirs
    bool looked_into = false;       // children are shown, or none has its share
  };

  Treemap(const Snapshot& snapshot, Place place, const Weights& weigh, const Limits& limits);

  // The first is the place itself; a directory stands before what is in it.
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }

 private:
  struct Candidate {
    std::uint64_t bytes;
    std::uint64_t number;  // in the order in which they were found
    Place place;
    std::size_t parent;
  };
  struct ShownLater {
    bool operator()(const Candidate& a, const Candidate& b) const {
      return a.bytes != b.bytes ? a.bytes < b.bytes : a.number > b.number;
    }
  };

  void find(Place place, std::uint64_t bytes, std::size_t parent);
  std::size_t show(const Candidate& candidate);
  void look_into(std::size_t at);

  // Whether so many were found that have as many bytes that there is no room for another one.
  [[nodiscard]] bool crowded_out(std::uint64_t bytes) const {
    return largest_.size() == limits_.nodes && bytes <= largest_.top();
  }

  const Snapshot& snapshot_;
  const Weights weigh_;
  const Limits limits_;
  double least_bytes_ = 0;
  std::uint64_t found_ = 0;
  std::priority_queue<Candidate, std::vector<Candidate>, ShownLater> waiting_;
  // The most bytes that candidates have, limits_.nodes of them at most; the least on top.
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> largest_;
  std::vector<Node> nodes_;
};

}  // namespace fathom::web
