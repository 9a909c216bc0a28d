// TreeViewRows: picks the most important entries best first, with a priority queue, then sorts them
// by parent for printing.

#include "view/tree_view_rows.h"

#include <algorithm>
#include <queue>

namespace fathom::cli {

namespace {

constexpr std::uint64_t kLargePart = 100;  // of the whole: 1%

struct Candidate {
  fs::NodeId node;
  fs::DirId directory;  // kNoDir: not a directory
  std::uint64_t weight;
  std::size_t parent;  // index in picked_ of the row of its directory
  unsigned depth;
  bool first;         // a root, or large and on the top level
  double importance;  // the weight, reduced by level and place: see TreeViewRows
};

// A row that is not yet in print order.
struct Pick {
  Candidate of;
  std::vector<fs::DirId> chain;   // the directories of the row, highest first; empty for a file
  fs::NodeId file = fs::kNoNode;  // at the end of the chain
};

class Picker {
 public:
  Picker(const fs::ReportInput& input, TreeViewLimits limits, Order order)
      : input_(input),
        tree_(input.tree()),
        totals_(input.totals()),
        children_(input.children()),
        limits_(limits),
        order_(order),
        whole_(weight_of(totals_.whole())) {}

  TreeViewRows pick() {
    add_roots();
    while (!queue_.empty() && picked_.size() < limits_.rows) {
      picked_.push_back({queue_.top(), {}});
      queue_.pop();
      Pick& row = picked_.back();
      if (row.of.directory == fs::kNoDir) continue;
      follow(row);
      const bool ends = row.file != fs::kNoNode || row.of.depth == limits_.depth;
      if (!ends) add_children(row, picked_.size() - 1);
    }
    return in_order();
  }

 private:
  void add_roots() {
    const auto& roots = tree_.roots();
    const auto known = roots.size() - static_cast<std::size_t>(
                                          std::count(roots.begin(), roots.end(), fs::kNoNode));
    top_ = known > 1 ? 0 : 1;
    const bool lists_all = known > 1;  // even those that are counted elsewhere
    tree_.for_each_directory([&](fs::DirId id) {
      if (tree_.parent_of(id) != fs::kNoDir || (is_nothing(id) && !lists_all)) return;
      consider(tree_.node(id), id, weight_of(totals_.below(id)), 0, 0);
    });
    for (const fs::NodeId node : tree_.roots()) {
      if (node == fs::kNoNode || tree_.kind(node) == fs::Kind::directory) continue;
      const bool is_here = is_counted_here(node);
      if (is_here || lists_all) consider(node, fs::kNoDir, is_here ? weight_of(node) : 0, 0, 0);
    }
    queue_largest();
  }

  // Finds the directories that share the row, and the file at their end. A root has its own row,
  // with the name that was given.
  void follow(Pick& row) const {
    fs::DirId last = row.of.directory;
    row.chain.push_back(last);
    while (row.of.depth > 0) {
      const std::vector<fs::DirId> below = counted_directories(last);
      const auto others = children_.others(last);
      if (below.empty() && others.size() == 1 && is_counted_here(others.front())) {
        row.file = others.front();
      }
      if (!others.empty() || below.size() != 1) return;
      last = below.front();
      row.chain.push_back(last);
    }
  }

  // Up to two of the directories that have rows: a filtered scan also has others.
  [[nodiscard]] std::vector<fs::DirId> counted_directories(fs::DirId of) const {
    std::vector<fs::DirId> counted;
    for (const fs::DirId id : children_.directories(of)) {
      if (!is_nothing(id)) counted.push_back(id);
      if (counted.size() == 2) break;
    }
    return counted;
  }

  void add_children(const Pick& of, std::size_t row) {
    const unsigned depth = of.of.depth + 1;
    const fs::DirId directory = of.chain.back();
    for (const fs::DirId id : children_.directories(directory)) {
      consider_directory(id, row, depth);
    }
    for (const fs::NodeId node : children_.others(directory)) consider_file(node, row, depth);
    queue_largest();
  }

  void consider_directory(fs::DirId id, std::size_t parent, unsigned depth) {
    if (is_nothing(id)) return;
    consider(tree_.node(id), id, weight_of(totals_.below(id)), parent, depth);
  }

  void consider_file(fs::NodeId node, std::size_t parent, unsigned depth) {
    if (is_counted_here(node)) consider(node, fs::kNoDir, weight_of(node), parent, depth);
  }

  void consider(fs::NodeId node, fs::DirId directory, std::uint64_t weight, std::size_t parent,
                unsigned depth) {
    const bool first = depth == 0 || (depth <= top_ && weight > 0 && weight >= whole_ / kLargePart);
    considered_.push_back(
        {node, directory, weight, parent, depth, first, static_cast<double>(weight)});
  }

  // Queues at most as many entries of a directory as there are rows left.
  void queue_largest() {
    const std::size_t room = limits_.rows - picked_.size();
    const auto first = [this](const Candidate& a, const Candidate& b) { return before(a, b); };
    if (considered_.size() > room) {
      const auto end = considered_.begin() + static_cast<std::ptrdiff_t>(room);
      std::nth_element(considered_.begin(), end, considered_.end(), first);
      considered_.erase(end, considered_.end());
    }
    std::sort(considered_.begin(), considered_.end(), first);
    constexpr double kHalfAfter = 8;  // others of the directory
    double others = 0;
    for (Candidate& candidate : considered_) {
      for (unsigned level = top_; level < candidate.depth; ++level) candidate.importance /= 2;
      if (candidate.depth > top_) candidate.importance /= 1 + others++ / kHalfAfter;
      queue_.push(candidate);
    }
    considered_.clear();
  }

  // Whether neither the directory nor anything in it is counted.
  [[nodiscard]] bool is_nothing(fs::DirId id) const {
    return (tree_.flags(tree_.node(id)) & fs::kUncounted) != 0 && totals_.below(id).entries() == 0;
  }
  // Whether a file has a row: not if its bytes are counted at another path.
  [[nodiscard]] bool is_counted_here(fs::NodeId node) const {
    return (tree_.flags(node) & (fs::kRepeated | fs::kExtraLink)) == 0;
  }
  [[nodiscard]] std::uint64_t weight_of(fs::NodeId node) const {
    return order_ == Order::count ? 1 : fs::bytes_of(tree_.entry(node), input_.measure());
  }
  [[nodiscard]] std::uint64_t weight_of(const fs::Counts& counts) const {
    return order_ == Order::count ? counts.entries() : fs::bytes_of(counts, input_.measure());
  }

  // Most important first, then by path, so that the order is the same in every run.
  [[nodiscard]] bool before(const Candidate& a, const Candidate& b) const {
    if (a.first != b.first) return a.first;
    if (!a.first && a.importance != b.importance) return a.importance > b.importance;
    return a.weight != b.weight ? a.weight > b.weight : tree_.path_less(a.node, b.node);
  }

  // Whether the row of a is above that of b. Requires: both have the same parent.
  [[nodiscard]] bool above(const Candidate& a, const Candidate& b) const {
    if (order_ == Order::name) return tree_.path_less(a.node, b.node);
    if (order_ == Order::mtime) {
      const std::int64_t time_a = modified(input_, a.node, a.directory);
      const std::int64_t time_b = modified(input_, b.node, b.directory);
      if (time_a != time_b) return time_a > time_b;
    }
    return before(a, b);
  }

  [[nodiscard]] TreeViewRows in_order() const {
    std::vector<std::vector<std::size_t>> below(picked_.size());  // the children of each row
    std::vector<std::size_t> roots;
    for (std::size_t i = 0; i < picked_.size(); ++i) {
      const Candidate& of = picked_[i].of;
      (of.depth == 0 ? roots : below[of.parent]).push_back(i);
    }
    const auto first = [this](std::size_t a, std::size_t b) {
      return above(picked_[a].of, picked_[b].of);
    };
    // Rows that are still to be added, the next one last, with the index of the parent in `shown`.
    struct Next {
      std::size_t pick;
      std::size_t parent;
      bool last;
    };
    std::vector<Next> stack;
    const auto push = [&stack, &first](std::vector<std::size_t>& picks, std::size_t parent) {
      std::sort(picks.begin(), picks.end(), first);
      for (auto it = picks.rbegin(); it != picks.rend(); ++it) {
        stack.push_back({*it, parent, it == picks.rbegin()});
      }
    };
    TreeViewRows shown;
    shown.rest = {totals_.whole().entries(), weight_of(totals_.whole())};
    push(roots, 0);
    while (!stack.empty()) {
      const Next next = stack.back();
      stack.pop_back();
      const std::size_t place = shown.rows.size();
      const Pick& pick = picked_[next.pick];
      shown.rows.push_back(row(pick, pick.of.depth == 0 ? place : next.parent, next.last));
      take_from(shown.rest, pick, below[next.pick].empty());
      push(below[next.pick], place);
    }
    return shown;
  }

  [[nodiscard]] TreeViewRow row(const Pick& pick, std::size_t parent, bool last) const {
    TreeViewRow row;
    for (const fs::DirId id : pick.chain) row.above.push_back(tree_.node(id));
    if (pick.chain.empty()) {
      row.node = pick.of.node;
    } else if (pick.file != fs::kNoNode) {
      row.node = pick.file;
    } else {
      row.node = row.above.back();
      row.above.pop_back();
    }
    row.top = pick.of.directory;
    row.weight = pick.of.weight;
    row.parent = parent;
    row.depth = pick.of.depth;
    row.lower_bound = row.top != fs::kNoDir && totals_.lower_bound(row.top);
    row.last = last;
    row.elsewhere = pick.of.depth == 0 && !is_counted_here(row.node);
    return row;
  }

  // A row without rows below it represents everything below it; any other row only itself.
  void take_from(TreeViewRest& rest, const Pick& pick, bool whole) const {
    const auto take = [&rest](std::uint64_t entries, std::uint64_t weight) {
      rest.entries -= std::min(rest.entries, entries);
      rest.weight -= std::min(rest.weight, weight);  // sums saturate
    };
    if (pick.of.depth == 0 && (tree_.flags(pick.of.node) & fs::kRepeated) != 0) return;
    if (pick.chain.empty()) {
      take(1, pick.of.weight);
    } else if (whole) {
      take(totals_.below(pick.of.directory).entries(), pick.of.weight);
    } else {
      for (const fs::DirId id : pick.chain) {
        const fs::NodeId node = tree_.node(id);
        if ((tree_.flags(node) & fs::kUncounted) == 0) take(1, weight_of(node));
      }
    }
  }

  struct After {
    const Picker* picker;
    bool operator()(const Candidate& a, const Candidate& b) const { return picker->before(b, a); }
  };

  const fs::ReportInput& input_;
  const fs::Tree& tree_;
  const fs::Totals& totals_;
  const fs::Children& children_;
  const TreeViewLimits limits_;
  const Order order_;
  const std::uint64_t whole_;
  unsigned top_ = 1;  // the depth of the top level
  std::vector<Candidate> considered_;
  std::priority_queue<Candidate, std::vector<Candidate>, After> queue_{After{this}};
  std::vector<Pick> picked_;
};

}  // namespace

std::int64_t modified(const fs::ReportInput& input, fs::NodeId node, fs::DirId top) {
  return top == fs::kNoDir ? input.tree().mtime(node) : input.newest().below(top);
}

TreeViewRows tree_view_rows(const fs::ReportInput& input, TreeViewLimits limits, Order order) {
  return Picker(input, limits, order).pick();
}

}  // namespace fathom::cli
