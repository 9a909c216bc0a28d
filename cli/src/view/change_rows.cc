// ChangeRows: picks best first, with a priority queue, then arranges the rows for printing.

#include "view/change_rows.h"

#include <algorithm>
#include <queue>
#include <utility>

#include "fathom/base/saturating.h"

namespace fathom::cli {

namespace {

constexpr std::size_t kNoRow = std::numeric_limits<std::size_t>::max();

struct ChangeCandidate {
  std::size_t node;
  std::size_t parent;  // the index of its parent among the picked rows
  unsigned depth;
  double importance;

  // For a queue whose top is the most important.
  bool operator<(const ChangeCandidate& other) const {
    return importance != other.importance ? importance < other.importance : node > other.node;
  }
};

class ChangePicker {
 public:
  ChangePicker(std::span<const ChangeNode> nodes, ChangeLimits limits)
      : nodes_(nodes), limits_(limits), inside_(nodes.size()), weights_(nodes.size()) {
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      const ChangeNode& node = nodes_[i];
      weights_[i] = std::max(weights_[i], base::magnitude(node.change));
      if (node.parent == ChangeNode::kNoParent) {
        tops_.push_back(i);
      } else {
        inside_[node.parent].push_back(i);
        weights_[node.parent] = std::max(weights_[node.parent], weights_[i]);
      }
    }
  }

  ChangeRows pick() {
    consider(tops_, kNoRow, 0);
    while (!queue_.empty() && picked_.size() < limits_.rows) {
      const ChangeCandidate taken = queue_.top();
      queue_.pop();
      ChangeRow& row = picked_.emplace_back();
      row = {.chain = {taken.node}, .parent = taken.parent, .depth = taken.depth};
      if (limits_.folds && taken.depth > 0) follow(row.chain);
      if (taken.depth < limits_.depth) {
        consider(inside_[row.chain.back()], picked_.size() - 1, taken.depth + 1);
      }
    }
    return arranged();
  }

 private:
  // Adds the directories that share the row.
  void follow(std::vector<std::size_t>& chain) const {
    constexpr std::uint64_t kPart = 100;  // of the change may be elsewhere: 1 %
    while (inside_[chain.back()].size() == 1) {
      const std::size_t next = inside_[chain.back()].front();
      const std::int64_t above = nodes_[chain.back()].change;
      const std::int64_t below = nodes_[next].change;
      const std::uint64_t rest =
          base::magnitude(above) - std::min(base::magnitude(above), base::magnitude(below));
      const bool same =
          (above < 0) == (below < 0) && base::magnitude(below) <= base::magnitude(above);
      if (!same || rest > base::magnitude(above) / kPart) return;
      chain.push_back(next);
    }
  }

  void consider(std::vector<std::size_t>& nodes, std::size_t parent, unsigned depth) {
    constexpr double kHalfAfter = 8;  // siblings
    std::sort(nodes.begin(), nodes.end(), [this](std::size_t a, std::size_t b) {
      return weights_[a] != weights_[b] ? weights_[a] > weights_[b] : a < b;
    });
    double siblings = 0;
    for (const std::size_t node : nodes) {
      auto importance = static_cast<double>(weights_[node]);
      for (unsigned level = 1; level < depth; ++level) importance /= 2;
      if (depth > 1) importance /= 1 + siblings++ / kHalfAfter;
      queue_.push({node, parent, depth, importance});
    }
  }

  [[nodiscard]] bool is_above(std::size_t a, std::size_t b) const {
    const std::size_t of_a = picked_[a].chain.front();
    const std::size_t of_b = picked_[b].chain.front();
    const std::uint64_t change_a = base::magnitude(nodes_[of_a].change);
    const std::uint64_t change_b = base::magnitude(nodes_[of_b].change);
    return change_a != change_b ? change_a > change_b : of_a < of_b;
  }

  [[nodiscard]] ChangeRows arranged() {
    std::vector<std::vector<std::size_t>> below(picked_.size());
    std::vector<std::size_t> tops;
    for (std::size_t i = 0; i < picked_.size(); ++i) {
      (picked_[i].parent == kNoRow ? tops : below[picked_[i].parent]).push_back(i);
    }
    struct Next {
      std::size_t pick;
      std::size_t parent;  // its row
      bool last;
    };
    std::vector<Next> stack;
    const auto push = [&](std::vector<std::size_t>& picks, std::size_t parent) {
      std::sort(picks.begin(), picks.end(),
                [this](std::size_t a, std::size_t b) { return is_above(b, a); });
      for (const std::size_t pick : picks) stack.push_back({pick, parent, pick == picks.front()});
    };
    ChangeRows shown;
    shown.others = unrepresented();
    push(tops, kNoRow);
    while (!stack.empty()) {
      const Next next = stack.back();
      stack.pop_back();
      ChangeRow row = std::move(picked_[next.pick]);
      const std::size_t place = shown.rows.size();
      row.parent = next.parent == kNoRow ? place : next.parent;
      row.last = next.last;
      shown.rows.push_back(std::move(row));
      push(below[next.pick], place);
    }
    return shown;
  }

  // The directories that no row represents: not in a row, nor below one that has no rows below it.
  [[nodiscard]] std::size_t unrepresented() const {
    std::vector<std::size_t> rows(nodes_.size(), kNoRow);
    std::vector<bool> in_row(nodes_.size());
    std::vector<bool> divided(picked_.size());  // it has rows below it
    for (std::size_t row = 0; row < picked_.size(); ++row) {
      for (const std::size_t node : picked_[row].chain) {
        rows[node] = row;
        in_row[node] = true;
      }
      if (picked_[row].parent != kNoRow) divided[picked_[row].parent] = true;
    }
    std::size_t count = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (in_row[i]) continue;
      if (nodes_[i].parent != ChangeNode::kNoParent) rows[i] = rows[nodes_[i].parent];
      if (rows[i] == kNoRow || divided[rows[i]]) ++count;
    }
    return count;
  }

  const std::span<const ChangeNode> nodes_;
  const ChangeLimits limits_;
  std::vector<std::vector<std::size_t>> inside_;  // by node
  std::vector<std::uint64_t> weights_;            // by node: the largest change in it
  std::vector<std::size_t> tops_;
  std::priority_queue<ChangeCandidate> queue_;
  std::vector<ChangeRow> picked_;
};

}  // namespace

ChangeRows change_rows(std::span<const ChangeNode> nodes, ChangeLimits limits) {
  return ChangePicker(nodes, limits).pick();
}

}  // namespace fathom::cli
