// Basket: a set of entries of the tree, in the order in which they were put in. Their numbers stay
// the same while a scan runs, so a basket outlives its snapshots.

#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "fathom/fs/freed.h"

namespace fathom::tui {

class Basket {
 public:
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] std::span<const fs::Chosen> entries() const { return entries_; }
  [[nodiscard]] bool has(fs::NodeId node) const { return node < has_.size() && has_[node]; }

  void add(const fs::Chosen& entry) {
    if (has(entry.node)) return;
    if (entry.node >= has_.size()) has_.resize(std::size_t{entry.node} + 1);
    has_[entry.node] = true;
    entries_.push_back(entry);
  }

  // Takes several out in one pass.
  void remove(std::span<const fs::Chosen> entries) {
    for (const fs::Chosen& entry : entries) {
      if (has(entry.node)) has_[entry.node] = false;
    }
    std::erase_if(entries_, [&](const fs::Chosen& entry) { return !has_[entry.node]; });
  }

  // Takes out those that are in it, and adds the others, each of which comes once.
  void invert(std::vector<fs::Chosen> entries) {
    fs::NodeId last = 0;
    for (const fs::Chosen& entry : entries) last = std::max(last, entry.node);
    if (last >= has_.size()) has_.resize(std::size_t{last} + 1);
    for (const fs::Chosen& entry : entries) has_[entry.node].flip();
    if (entries_.empty()) {
      entries_ = std::move(entries);
      return;
    }
    const auto is_out = [&](const fs::Chosen& entry) { return !has_[entry.node]; };
    std::erase_if(entries_, is_out);
    std::erase_if(entries, is_out);
    entries_.insert(entries_.end(), entries.begin(), entries.end());
  }

  void clear() {
    has_.clear();
    entries_.clear();
  }

 private:
  std::vector<fs::Chosen> entries_;
  std::vector<bool> has_;  // by NodeId
};

}  // namespace fathom::tui
