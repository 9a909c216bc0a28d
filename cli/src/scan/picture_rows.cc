#include "scan/picture_rows.h"

#include <algorithm>
#include <queue>

namespace fathom::cli {

namespace {

struct Candidate {
  fs::NodeId node;
  fs::DirId directory;  // kNoDir: it is none
  std::uint64_t bytes;
  std::size_t parent;  // the row of its directory, in the order of picking
  unsigned depth;
};

class Picker {
 public:
  Picker(const fs::Tree& tree, const fs::Totals& totals, fs::Measure measure, PictureLimits limits)
      : tree_(tree), totals_(totals), children_(tree), measure_(measure), limits_(limits) {}

  std::vector<PictureRow> pick() {
    add_roots();
    while (!queue_.empty() && picked_.size() < limits_.rows) {
      picked_.push_back(queue_.top());
      queue_.pop();
      const Candidate& row = picked_.back();
      if (row.directory != fs::kNoDir && row.depth < limits_.depth) {
        add_children(row, picked_.size() - 1);
      }
    }
    return in_order();
  }

 private:
  void add_roots() {
    tree_.for_each_directory([&](fs::DirId id) {
      if (tree_.parent_of(id) == fs::kNoDir) consider_directory(id, 0, 0);
    });
    for (const fs::NodeId node : tree_.roots()) {
      if (node != fs::kNoNode && tree_.kind(node) != fs::Kind::directory) consider(node, 0, 0);
    }
    queue_largest();
  }

  void add_children(const Candidate& of, std::size_t row) {
    const unsigned depth = of.depth + 1;
    for (const fs::DirId id : children_.directories(of.directory)) {
      consider_directory(id, row, depth);
    }
    for (const fs::NodeId node : children_.others(of.directory)) consider(node, row, depth);
    queue_largest();
  }

  void consider_directory(fs::DirId id, std::size_t parent, unsigned depth) {
    const fs::NodeId node = tree_.node(id);
    if ((tree_.flags(node) & fs::kRepeated) != 0) return;
    considered_.push_back({node, id, fs::bytes_of(totals_.below(id), measure_), parent, depth});
  }

  void consider(fs::NodeId node, std::size_t parent, unsigned depth) {
    if ((tree_.flags(node) & (fs::kRepeated | fs::kExtraLink)) != 0) return;
    const std::uint64_t bytes = fs::bytes_of(tree_.entry(node), measure_);
    considered_.push_back({node, fs::kNoDir, bytes, parent, depth});
  }

  // Of one directory no more can be shown than there are rows left.
  void queue_largest() {
    const std::size_t room = limits_.rows - picked_.size();
    const auto first = [this](const Candidate& a, const Candidate& b) { return before(a, b); };
    if (considered_.size() > room) {
      const auto end = considered_.begin() + static_cast<std::ptrdiff_t>(room);
      std::nth_element(considered_.begin(), end, considered_.end(), first);
      considered_.erase(end, considered_.end());
    }
    for (const Candidate& candidate : considered_) queue_.push(candidate);
    considered_.clear();
  }

  // Larger, or of the same size and with the smaller path: the same picture on every run.
  [[nodiscard]] bool before(const Candidate& a, const Candidate& b) const {
    return a.bytes != b.bytes ? a.bytes > b.bytes : tree_.path_less(a.node, b.node);
  }

  [[nodiscard]] std::vector<PictureRow> in_order() const {
    std::vector<std::vector<std::size_t>> below(picked_.size());  // of each row, the largest first
    std::vector<std::size_t> roots;
    for (std::size_t i = 0; i < picked_.size(); ++i) {
      (picked_[i].depth == 0 ? roots : below[picked_[i].parent]).push_back(i);
    }
    // Rows that are still to be written, the next one last; with the place of their parent.
    struct Next {
      std::size_t pick;
      std::size_t parent;
      bool last;
    };
    std::vector<Next> stack;
    const auto push = [&stack](const std::vector<std::size_t>& picks, std::size_t parent) {
      for (auto it = picks.rbegin(); it != picks.rend(); ++it) {
        stack.push_back({*it, parent, it == picks.rbegin()});
      }
    };
    std::vector<PictureRow> rows;
    push(roots, 0);
    while (!stack.empty()) {
      const Next next = stack.back();
      stack.pop_back();
      const Candidate& pick = picked_[next.pick];
      const std::size_t place = rows.size();
      const bool directory = pick.directory != fs::kNoDir;
      rows.push_back({pick.node, pick.bytes, pick.depth == 0 ? place : next.parent, pick.depth,
                      directory, directory && totals_.lower_bound(pick.directory), next.last});
      push(below[next.pick], place);
    }
    return rows;
  }

  struct After {
    const Picker* picker;
    bool operator()(const Candidate& a, const Candidate& b) const { return picker->before(b, a); }
  };

  const fs::Tree& tree_;
  const fs::Totals& totals_;
  const fs::Children children_;
  const fs::Measure measure_;
  const PictureLimits limits_;
  std::vector<Candidate> considered_;
  std::priority_queue<Candidate, std::vector<Candidate>, After> queue_{After{this}};
  std::vector<Candidate> picked_;
};

}  // namespace

std::vector<PictureRow> picture_rows(const fs::Tree& tree, const fs::Totals& totals,
                                     fs::Measure measure, PictureLimits limits) {
  return Picker(tree, totals, measure, limits).pick();
}

}  // namespace fathom::cli
