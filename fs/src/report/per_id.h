// PerId: a value for each of a few ids, such as users. Most entries have the same id as the
// previous entry, which is found without a search.
//
//   PerId<Tally> users;
//   users.of(tree.uid(node)).add(tree, node);

#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace fathom::fs {

template <class Value>
class PerId {
 public:
  struct Item {
    std::uint32_t number;
    Value value;
  };

  // A new value the first time an id occurs. Valid until the next call.
  Value& of(std::uint32_t number) {
    if (items_.empty() || items_[last_].number != number) {
      const auto [found, fresh] = indexes_.try_emplace(number, items_.size());
      if (fresh) items_.push_back({number, Value()});
      last_ = found->second;
    }
    return items_[last_].value;
  }

  [[nodiscard]] const std::vector<Item>& items() const { return items_; }  // in no order

 private:
  std::vector<Item> items_;
  std::unordered_map<std::uint32_t, std::size_t> indexes_;
  std::size_t last_ = 0;  // the index of the last access
};

}  // namespace fathom::fs
