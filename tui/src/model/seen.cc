// Seen: adds up everything below an entry as a plan does, with each inode once. (The sums on the
// screen count an inode at its first path, which may be elsewhere.)

#include "model/seen.h"

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace fathom::tui {

namespace {

class Adder {
 public:
  explicit Adder(const Facts& facts) : tree_(facts.tree()), facts_(facts) {}

  std::optional<act::Seen::Sums> all_below(fs::DirId top) {
    std::vector<fs::DirId> left = {top};
    while (!left.empty()) {
      const fs::DirId directory = left.back();
      left.pop_back();
      if (lacks_something(directory)) return std::nullopt;
      add(tree_.node(directory), true);
      const Items items = facts_.in(directory);
      for (const fs::NodeId other : items.others) add(other, false);
      left.insert(left.end(), items.directories.begin(), items.directories.end());
    }
    return sums_;
  }

  act::Seen::Sums one(fs::NodeId node) {
    add(node, false);
    return sums_;
  }

 private:
  [[nodiscard]] bool lacks_something(fs::DirId directory) const {
    constexpr std::uint8_t kLacking = fs::kIncomplete | fs::kHasOmittedChildren | fs::kRepeated;
    return (tree_.flags(tree_.node(directory)) & kLacking) != 0;
  }

  void add(fs::NodeId node, bool is_directory) {
    ++sums_.entries;
    const bool has_one_name = is_directory || tree_.links(node) == 1;
    if (!has_one_name && !linked_.emplace(tree_.device(node), tree_.inode(node)).second) return;
    sums_.bytes += tree_.blocks(node) * fs::kBlockBytes;
  }

  const fs::Tree& tree_;
  const Facts& facts_;
  act::Seen::Sums sums_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> linked_;  // device and number
};

}  // namespace

act::Seen seen_of(const Facts& facts, const fs::Chosen& entry) {
  const fs::Tree& tree = facts.tree();
  act::Seen seen{.device = tree.device(entry.node), .inode = tree.inode(entry.node)};
  if (facts.scan().running || facts.scan().cancelled) return seen;
  Adder adder(facts);
  seen.sums =
      entry.directory == fs::kNoDir ? adder.one(entry.node) : adder.all_below(entry.directory);
  return seen;
}

}  // namespace fathom::tui
