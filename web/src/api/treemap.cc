// Treemap: best-first selection of the largest entries.

#include "api/treemap.h"

#include "api/directory_queries.h"
#include "fathom/base/page.h"
#include "fathom/base/saturating.h"

namespace fathom::web {

namespace {

constexpr std::size_t kMostNameBytes = std::size_t{4} << 20;

struct Child {
  std::uint64_t bytes;
  Place place;
};

struct LargerChild {
  const fs::Tree& tree;

  bool operator()(const Child& a, const Child& b) const {
    return a.bytes != b.bytes ? a.bytes > b.bytes : name_less(tree, a.place.node, b.place.node);
  }
};

}  // namespace

Treemap::Treemap(const Snapshot& snapshot, Place place, const MeasuredBytes& measured,
                 const Limits& limits)
    : snapshot_(snapshot), measured_(measured), limits_(limits) {
  const std::uint64_t bytes = measured_(place);
  least_bytes_ = limits_.min_share * static_cast<double>(bytes);
  find(place, bytes, kNone);
  while (!waiting_.empty() && nodes_.size() < limits_.nodes && name_bytes_ < kMostNameBytes) {
    const Candidate largest = waiting_.top();
    waiting_.pop();
    look_into(show(largest));
  }
}

void Treemap::find(Place place, std::uint64_t bytes, std::size_t parent) {
  waiting_.push({bytes, found_++, place, parent});
  largest_.push(bytes);
  if (largest_.size() > limits_.nodes) largest_.pop();
}

std::size_t Treemap::show(const Candidate& candidate) {
  const std::size_t at = nodes_.size();
  const std::size_t parent = candidate.parent;
  const Place place = candidate.place;
  if (!place.above_roots()) name_bytes_ += snapshot_.tree().name(place.node).size();
  nodes_.push_back({.place = place,
                    .bytes = candidate.bytes,
                    .depth = parent == kNone ? 0 : nodes_[parent].depth + 1,
                    .parent = parent});
  if (parent == kNone) return at;
  Node& in = nodes_[parent];
  (in.last_child == kNone ? in.first_child : nodes_[in.last_child].next) = at;
  in.last_child = at;
  ++in.shown;
  in.shown_bytes = base::saturating_add(in.shown_bytes, candidate.bytes);
  in.looked_into = true;
  return at;
}

void Treemap::look_into(std::size_t at) {
  Node& node = nodes_[at];
  const std::uint64_t room = limits_.nodes - nodes_.size();
  if (!node.place.is_directory() || node.depth == limits_.depth || room == 0) return;
  base::Page<Child, LargerChild> page(0, room, {snapshot_.tree()});
  node.looked_into = true;
  for_each_child(snapshot_, node.place, [&](Place place) {
    const std::uint64_t bytes = measured_(place);
    if (static_cast<double>(bytes) < least_bytes_) return;
    node.looked_into = false;  // until a child is shown
    if (!crowded_out(bytes)) page.add({bytes, place});
  });
  for (const Child& child : page.take()) {
    if (!crowded_out(child.bytes)) find(child.place, child.bytes, at);
  }
}

}  // namespace fathom::web
