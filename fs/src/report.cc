#include "fathom/fs/report.h"

#include <algorithm>
#include <utility>

namespace fathom::fs {

namespace {

// Keeps the count largest of what is added, ordered by size and then by path.
//
// Paths are compared only among those that the last place is tied for: a path costs a walk to the
// root.
class Largest {
 public:
  Largest(const Tree& tree, std::size_t count) : tree_(tree), count_(count) {}

  struct Item {
    std::uint64_t bytes;
    NodeId node;
    std::uint32_t id;  // what the caller wants back
  };

  void add(const Item& item) {
    if (count_ == 0 || item.bytes < floor_) return;
    items_.push_back(item);
    if (items_.size() >= 4 * count_ + 1024) cut();
  }

  [[nodiscard]] std::vector<std::uint32_t> take() {
    cut();
    std::sort(items_.begin(), items_.end(), [this](const Item& a, const Item& b) {
      return a.bytes != b.bytes ? a.bytes > b.bytes : tree_.path_less(a.node, b.node);
    });
    if (items_.size() > count_) items_.resize(count_);
    std::vector<std::uint32_t> ids;
    ids.reserve(items_.size());
    for (const Item& item : items_) ids.push_back(item.id);
    return ids;
  }

 private:
  // Drops what is smaller than the count-th; what is as large stays, and may be more than count.
  void cut() {
    if (items_.size() <= count_) return;
    const auto last = items_.begin() + static_cast<std::ptrdiff_t>(count_) - 1;
    std::nth_element(items_.begin(), last, items_.end(),
                     [](const Item& a, const Item& b) { return a.bytes > b.bytes; });
    floor_ = last->bytes;
    std::erase_if(items_, [this](const Item& item) { return item.bytes < floor_; });
    if (items_.size() > 2 * count_ + 1024) cut_ties();
  }

  // A tree of a million equal files: only the smallest paths can be reported.
  void cut_ties() {
    const auto ties = std::partition(items_.begin(), items_.end(),
                                     [this](const Item& item) { return item.bytes > floor_; });
    const std::size_t wanted = count_ - static_cast<std::size_t>(ties - items_.begin());
    const auto last = ties + static_cast<std::ptrdiff_t>(wanted);
    std::nth_element(ties, last, items_.end(), [this](const Item& a, const Item& b) {
      return tree_.path_less(a.node, b.node);
    });
    items_.erase(last, items_.end());
  }

  const Tree& tree_;
  const std::size_t count_;
  std::uint64_t floor_ = 0;  // nothing smaller can be among the largest
  std::vector<Item> items_;
};

}  // namespace

std::vector<NodeId> largest_files(const Tree& tree, std::size_t count, Measure measure) {
  Largest largest(tree, count);
  tree.for_each_node([&](NodeId node) {
    if ((tree.flags(node) & (kRepeated | kExtraLink)) != 0) return;
    if (tree.kind(node) == Kind::directory) return;
    largest.add({bytes_of(tree.entry(node), measure), node, node});
  });
  return largest.take();
}

std::vector<DirId> largest_directories(const Tree& tree, const Totals& totals, std::size_t count,
                                       Measure measure) {
  Largest largest(tree, count);
  tree.for_each_directory([&](DirId id) {
    const NodeId node = tree.node(id);
    if ((tree.flags(node) & kRepeated) != 0) return;
    largest.add({bytes_of(totals.below(id), measure), node, id});
  });
  return largest.take();
}

}  // namespace fathom::fs
