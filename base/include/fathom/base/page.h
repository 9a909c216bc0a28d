// Page: the items [offset, offset + limit) of all added items in sorted order, without sorting or
// keeping all of them. Uses std::nth_element whenever the buffer is full.
//
//   Page<Row, Less> page(offset, limit, less);
//   for (...) page.add(row);
//   for (const Row& row : page.take()) ...

#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "fathom/base/saturating.h"

namespace fathom::base {

// Requires: Less is a strict total order.
template <class Item, class Less>
class Page {
 public:
  Page(std::size_t offset, std::size_t limit, Less less)
      : offset_(offset), last_(saturating_add(offset, limit)), less_(std::move(less)) {}

  void add(const Item& item) {
    if (cut_ && !less_(item, items_[last_ - 1])) return;
    items_.push_back(item);
    if (items_.size() > kSlack && (items_.size() - kSlack) / 2 >= last_) cut();
  }

  // Returns the items in order, and empties the page.
  [[nodiscard]] std::vector<Item> take() {
    if (items_.size() > last_) cut();
    cut_ = false;
    std::vector<Item> items = std::exchange(items_, {});
    if (items.size() <= offset_) return {};
    const auto first = items.begin() + static_cast<std::ptrdiff_t>(offset_);
    if (offset_ > 0) std::nth_element(items.begin(), first, items.end(), less_);
    std::sort(first, items.end(), less_);
    items.erase(items.begin(), first);
    return items;
  }

 private:
  static constexpr std::size_t kSlack = 1024;  // so that each cut removes many items

  // Drops the items after the last needed one, to which add() compares new items from now on.
  void cut() {
    if (last_ > 0) {
      const auto last = items_.begin() + static_cast<std::ptrdiff_t>(last_) - 1;
      std::nth_element(items_.begin(), last, items_.end(), less_);
    }
    items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(last_), items_.end());
    cut_ = last_ > 0;
  }

  const std::size_t offset_;
  const std::size_t last_;  // the number of items to keep
  const Less less_;
  std::vector<Item> items_;
  bool cut_ = false;  // items_[last_ - 1] is the last item that may be needed
};

}  // namespace fathom::base
