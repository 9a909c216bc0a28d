// Treemap: a limited number of the largest entries below a place, as a tree.
//
// Guarantees: of all entries within the limits, it shows those with most bytes, with the
// directories that contain them. Among entries of equal size, those that are found first are shown:
// from the largest directory to the smallest, and by name in each. No more are shown once their
// names have 4 MiB, because names in exports may have any length. Takes time proportional to the
// number of entries in the shown directories. The algorithm is best-first search with a priority
// queue.
//
//   const Treemap map(snapshot, place, MeasuredBytes(snapshot, Measure::disk), {.nodes = 100});
//   for (const Treemap::Node& node : map.nodes()) ...

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "api/measured_bytes.h"
#include "api/snapshot.h"

namespace fathom::web {

class Treemap {
 public:
  struct Limits {
    std::uint64_t depth = 3;     // levels below the place
    std::uint64_t nodes = 2000;  // including the place
    double min_share = 0;        // of the bytes of the place
  };

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  // Other nodes are referred to by their index in nodes(), or kNone.
  struct Node {
    Place place;
    std::uint64_t bytes;
    std::uint64_t depth;
    std::size_t parent;
    std::size_t first_child = kNone;  // the largest
    std::size_t last_child = kNone;
    std::size_t next = kNone;       // the next node in its directory
    std::uint64_t shown = 0;        // number of shown children
    std::uint64_t shown_bytes = 0;  // their bytes
    bool looked_into = false;       // children are shown, or none reaches min_share
  };

  Treemap(const Snapshot& snapshot, Place place, const MeasuredBytes& measured,
          const Limits& limits);

  // The first node is the place itself; a directory comes before its entries.
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }

 private:
  struct Candidate {
    std::uint64_t bytes;
    std::uint64_t number;  // in the order of finding
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

  // Whether enough candidates with at least that many bytes have been found to fill the limit.
  [[nodiscard]] bool crowded_out(std::uint64_t bytes) const {
    return largest_.size() == limits_.nodes && bytes <= largest_.top();
  }

  const Snapshot& snapshot_;
  const MeasuredBytes measured_;
  const Limits limits_;
  double least_bytes_ = 0;
  std::size_t name_bytes_ = 0;  // of all nodes
  std::uint64_t found_ = 0;
  std::priority_queue<Candidate, std::vector<Candidate>, ShownLater> waiting_;
  // The sizes of the largest candidates, at most limits_.nodes of them; the smallest on top.
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> largest_;
  std::vector<Node> nodes_;
};

}  // namespace fathom::web
