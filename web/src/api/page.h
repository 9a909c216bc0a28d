// Page: the items [offset, offset + limit) of all that are added, in an order, without sorting the
// others or keeping many of them.
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

namespace fathom::web {

// Less is a total order: of different items one is less.
template <class Item, class Less>
class Page {
 public:
  Page(std::size_t offset, std::size_t limit, Less less)
      : offset_(offset), last_(base::saturating_add(offset, limit)), less_(std::move(less)) {}

  void add(const Item& item) {
    if (cut_ && !less_(item, items_[last_ - 1])) return;
    items_.push_back(item);
    if (items_.size() > kSlack && (items_.size() - kSlack) / 2 >= last_) cut();
  }

  // In order. Leaves nothing.
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
  static constexpr std::size_t kSlack = 1024;  // so that many are cut at once

  // Drops all behind the last place, where the one stands by which others are judged from now on.
  void cut() {
    if (last_ > 0) {
      const auto last = items_.begin() + static_cast<std::ptrdiff_t>(last_) - 1;
      std::nth_element(items_.begin(), last, items_.end(), less_);
    }
    items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(last_), items_.end());
    cut_ = last_ > 0;
  }

  const std::size_t offset_;
  const std::size_t last_;  // places up to here are kept
  const Less less_;
  std::vector<Item> items_;
  bool cut_ = false;  // items_[last_ - 1] is the last of all that may be needed
};

}  // namespace fathom::web
