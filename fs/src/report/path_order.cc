// PathOrder: ranks all directories by path once, and then sorts items by rank, height and name.

#include "report/path_order.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <tuple>

namespace fathom::fs {

namespace {

// The bytes that continue a path: a name, followed by a slash if the contents of a directory are
// meant.
struct Text {
  std::string_view name;
  bool slash = false;

  [[nodiscard]] std::size_t size() const { return name.size() + (slash ? 1 : 0); }
  [[nodiscard]] int at(std::size_t i) const {
    if (i < name.size()) return static_cast<unsigned char>(name[i]);
    return i == name.size() && slash ? '/' : 0;  // no name contains a 0
  }

  // The first bytes as a number with the same order.
  [[nodiscard]] std::uint64_t prefix() const {
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < sizeof bytes; ++i) {
      bytes = bytes << 8 | static_cast<unsigned>(at(i));
    }
    return bytes;
  }

  friend bool operator<(const Text& a, const Text& b) {
    const std::size_t common = std::min(a.name.size(), b.name.size());
    const int order = std::memcmp(a.name.data(), b.name.data(), common);
    if (order != 0) return order < 0;
    const int next_a = a.at(common);
    const int next_b = b.at(common);
    return next_a != next_b ? next_a < next_b : a.size() < b.size();
  }
};

// A root's name is its whole path, which may end with a slash.
Text contents_of(std::string_view directory) {
  return {directory, directory.empty() || directory.back() != '/'};
}

}  // namespace

// The position of an item: after all places of a smaller rank have begun. Items with the same rank
// are in the place that began last, or in one of those around it, which continue after it has
// ended: the deepest first. Items in the same place are ordered by name.
struct PathOrder::Key {
  std::uint32_t rank;
  std::uint32_t height;  // smaller for deeper ones
  std::uint64_t prefix;  // of the name
  Item item;
};

bool PathOrder::less(const Key& a, const Key& b) const {
  const auto numbers = [](const Key& key) { return std::tie(key.rank, key.height, key.prefix); };
  if (numbers(a) != numbers(b)) return numbers(a) < numbers(b);
  return tree_.name(a.item.node) < tree_.name(b.item.node);
}

PathOrder::PathOrder(const Tree& tree) : tree_(tree), roots_(tree.directory_limit()) {
  group_by_parent();
  sort_children();
  rank();
}

void PathOrder::group_by_parent() {
  first_child_.assign(roots_ + 2, 0);
  tree_.for_each_directory([&](DirId id) { ++first_child_[place_of(tree_.parent_of(id)) + 1]; });
  for (std::uint32_t place = 0; place <= roots_; ++place) {
    first_child_[place + 1] += first_child_[place];
  }
  children_.resize(first_child_.back());
  std::vector<std::uint32_t> next = first_child_;
  tree_.for_each_directory(
      [&](DirId id) { children_[next[place_of(tree_.parent_of(id))]++] = id; });
}

void PathOrder::sort_children() {
  struct Child {
    std::uint64_t prefix;
    Text text;
    DirId id;
  };
  std::vector<Child> sorted;
  for (std::uint32_t place = 0; place <= roots_; ++place) {
    const std::uint32_t first = first_child_[place];
    const std::uint32_t last = first_child_[place + 1];
    if (last - first < 2) continue;
    sorted.clear();
    for (std::uint32_t i = first; i < last; ++i) {
      const Text text = contents_of(tree_.name(tree_.node(children_[i])));
      sorted.push_back({text.prefix(), text, children_[i]});
    }
    std::sort(sorted.begin(), sorted.end(), [](const Child& a, const Child& b) {
      return a.prefix != b.prefix ? a.prefix < b.prefix : a.text < b.text;
    });
    for (std::uint32_t i = first; i < last; ++i) children_[i] = sorted[i - first].id;
  }
}

void PathOrder::rank() {
  ranks_.assign(roots_ + 1, 0);
  ends_.assign(roots_ + 1, 0);
  std::vector<std::uint32_t> order;  // places by rank
  order.reserve(children_.size() + 1);
  std::vector<std::uint32_t> waiting = {roots_};
  while (!waiting.empty()) {
    const std::uint32_t place = waiting.back();
    waiting.pop_back();
    ranks_[place] = static_cast<std::uint32_t>(order.size());
    order.push_back(place);
    for (std::uint32_t i = first_child_[place + 1]; i > first_child_[place]; --i) {
      waiting.push_back(children_[i - 1]);
    }
  }
  // The last child, whose own end is already known, ends last.
  for (auto place = order.rbegin(); place != order.rend(); ++place) {
    const bool leaf = first_child_[*place] == first_child_[*place + 1];
    ends_[*place] = leaf ? ranks_[*place] + 1 : ends_[children_[first_child_[*place + 1] - 1]];
  }
}

PathOrder::Key PathOrder::key_of(const Item& item) const {
  const DirId parent = tree_.parent(item.node);
  const std::uint32_t place = place_of(parent);
  const Text name = {.name = tree_.name(item.node)};
  const auto first = children_.begin() + first_child_[place];
  const auto last = children_.begin() + first_child_[place + 1];
  const auto next = std::lower_bound(first, last, name, [this](DirId child, const Text& text) {
    return contents_of(tree_.name(tree_.node(child))) < text;
  });
  const std::uint32_t depth = parent == kNoDir ? 0 : tree_.depth(parent) + 1;
  return {.rank = next == last ? ends_[place] : ranks_[*next],
          .height = ~depth,
          .prefix = name.prefix(),
          .item = item};
}

// By rank in one pass, as a counting sort; then the few items of each rank by comparison.
void PathOrder::sort(std::vector<Item>& items) const {
  std::vector<Key> unsorted;
  unsorted.reserve(items.size());
  std::vector<std::size_t> next(children_.size() + 3);  // by rank: the next position
  for (const Item& item : items) ++next[unsorted.emplace_back(key_of(item)).rank + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<Key> keys(items.size());
  for (const Key& key : unsorted) keys[next[key.rank]++] = key;
  std::size_t first = 0;
  for (const std::size_t last : next) {  // now the end of each rank
    std::sort(keys.begin() + static_cast<std::ptrdiff_t>(first),
              keys.begin() + static_cast<std::ptrdiff_t>(last),
              [this](const Key& a, const Key& b) { return less(a, b); });
    first = last;
  }
  std::transform(keys.begin(), keys.end(), items.begin(), [](const Key& key) { return key.item; });
}

PathOrder::Item PathOrder::first(const std::vector<Item>& items) const {
  Key least = key_of(items.front());
  for (const Item& item : items) {
    const Key key = key_of(item);
    if (less(key, least)) least = key;
  }
  return least.item;
}

DirId PathOrder::first_contents(const std::vector<DirId>& directories) const {
  return *std::min_element(directories.begin(), directories.end(),
                           [this](DirId a, DirId b) { return ranks_[a] < ranks_[b]; });
}

}  // namespace fathom::fs
