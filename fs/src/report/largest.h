// Largest: keeps the `count` largest items, ordered by size and then by path.
//
//   Largest largest(tree, 10);
//   tree.for_each_node([&](NodeId node) { largest.add({bytes, node, node}); });
//   for (std::uint32_t id : largest.take()) ...

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "fathom/fs/tree.h"
#include "tree/path_less.h"

namespace fathom::fs {

class Largest {
 public:
  Largest(const Tree& tree, std::size_t count) : tree_(tree), count_(count) {}

  struct Item {
    std::uint64_t bytes;
    NodeId node;
    std::uint32_t id;  // the caller's identifier
  };

  void add(const Item& item) {
    if (count_ == 0 || item.bytes < floor_) return;
    items_.push_back(item);
    if (items_.size() > kSlack && (items_.size() - kSlack) / 4 >= count_) cut();
  }

  // The ids, the largest first. Empties the object.
  [[nodiscard]] std::vector<std::uint32_t> take();

 private:
  static constexpr std::size_t kSlack = 1024;  // so that cuts are rare

  void cut();
  void cut_ties();
  void sort_many();
  [[nodiscard]] const PathLess& path_less();

  const Tree& tree_;
  const std::size_t count_;
  std::uint64_t floor_ = 0;  // smaller items cannot be among the largest
  std::vector<Item> items_;
  std::optional<PathLess> path_less_;  // made if many paths have to be compared
};

}  // namespace fathom::fs
