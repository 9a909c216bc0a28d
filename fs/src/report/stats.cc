// stats: mean, percentiles and extremes of sizes, depths and directories.

#include <algorithm>
#include <optional>
#include <utility>

#include "fathom/fs/report.h"
#include "report/path_order.h"

namespace fathom::fs {

namespace {

// The sizes of regular files, each inode once.
class FileSizes {
 public:
  explicit FileSizes(const ReportInput& input) {
    const Tree& tree = input.tree();
    sizes_.reserve(input.sums().files);
    input.part().for_each_node([&](NodeId node) {
      if (tree.kind(node) != Kind::file) return;
      if ((tree.flags(node) & (kRepeated | kExtraLink)) == 0) sizes_.push_back(tree.size(node));
    });
  }

  [[nodiscard]] std::size_t count() const { return sizes_.size(); }

  // Rounded down. The sum of 2^32 sizes needs 96 bits: upper and lower halves are summed
  // separately.
  [[nodiscard]] std::uint64_t mean() const {
    constexpr unsigned kHalf = 32;
    constexpr std::uint64_t kLow = 0xffffffff;
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    for (const std::uint64_t size : sizes_) {
      high += size >> kHalf;
      low += size & kLow;
    }
    const std::uint64_t count = sizes_.size();
    const std::uint64_t rest = high % count << kHalf;
    return (high / count << kHalf) + rest / count + low / count +
           (rest % count + low % count) / count;
  }

  // The nearest rank: the smallest size that at least `percent` % of the files do not exceed.
  // Must be called with ascending percentages: reorders the sizes from the last one.
  [[nodiscard]] std::uint64_t percentile(std::uint64_t percent) {
    const std::uint64_t rank = (sizes_.size() * percent + 99) / 100;
    const auto at =
        sizes_.begin() + static_cast<std::ptrdiff_t>(std::max<std::uint64_t>(rank, 1)) - 1;
    std::nth_element(sizes_.begin() + static_cast<std::ptrdiff_t>(ordered_), at, sizes_.end());
    ordered_ = static_cast<std::size_t>(at - sizes_.begin());
    return *at;
  }

 private:
  std::vector<std::uint64_t> sizes_;
  std::size_t ordered_ = 0;  // no size before this one is larger than any behind it
};

// How many entries each directory has, and which entry is the deepest.
class Shape {
 public:
  explicit Shape(const ReportInput& input)
      : input_(input), tree_(input.tree()), entries_(tree_.directory_limit()) {
    for_each_counted([&](NodeId node) {
      const DirId parent = tree_.parent(node);
      if (parent == kNoDir || node == input_.part().top()) return;
      ++entries_[parent];
      ++all_entries_;
    });
    input_.part().for_each_directory([&](DirId id) {
      if (is_repeated(tree_.node(id))) return;
      ++directories_;
      largest_ = std::max(largest_, entries_[id]);
      deepest_ = std::max(deepest_, input_.depth(tree_.node(id)) + (entries_[id] > 0 ? 1 : 0));
    });
    find_deepest();
    find_largest();
  }

  [[nodiscard]] std::optional<NodeId> deepest() const { return deepest_node_; }
  [[nodiscard]] std::uint32_t depth() const { return deepest_; }
  [[nodiscard]] std::optional<NodeId> largest() const { return largest_node_; }
  [[nodiscard]] std::uint64_t largest_entries() const { return largest_; }

  // Rounded to the nearest integer; there must be a directory.
  [[nodiscard]] std::uint64_t mean_entries() const {
    return (all_entries_ + directories_ / 2) / directories_;
  }

 private:
  [[nodiscard]] bool is_repeated(NodeId node) const { return (tree_.flags(node) & kRepeated) != 0; }

  template <class Function>
  void for_each_counted(Function function) const {
    input_.part().for_each_node([&](NodeId node) {
      if ((tree_.flags(node) & kUncounted) == 0) function(node);
    });
  }

  // Looks for the directory first, because often most entries are equally deep.
  void find_deepest() {
    if (deepest_ == 0) return find_top();
    std::vector<DirId> ties;
    input_.part().for_each_directory([&](DirId id) {
      const NodeId node = tree_.node(id);
      const bool is_one = entries_[id] > 0 && input_.depth(node) + 1 == deepest_;
      if (is_one && !is_repeated(node)) ties.push_back(id);
    });
    if (ties.empty()) return;
    const DirId first = ties.size() == 1 ? ties.front() : order().first_contents(ties);
    for_each_counted([&](NodeId node) {
      if (tree_.parent(node) != first) return;
      const bool precedes = !deepest_node_ || tree_.name(node) < tree_.name(*deepest_node_);
      if (precedes) deepest_node_ = node;
    });
  }

  void find_top() {
    std::vector<PathOrder::Item> ties;
    for_each_counted([&](NodeId node) {
      if (input_.depth(node) == 0) ties.push_back({node, node});
    });
    deepest_node_ = first_by_path(ties);
  }

  void find_largest() {
    std::vector<PathOrder::Item> ties;
    input_.part().for_each_directory([&](DirId id) {
      const NodeId node = tree_.node(id);
      if (entries_[id] == largest_ && !is_repeated(node)) ties.push_back({node, id});
    });
    largest_node_ = first_by_path(ties);
  }

  std::optional<NodeId> first_by_path(const std::vector<PathOrder::Item>& ties) {
    if (ties.empty()) return std::nullopt;
    if (ties.size() == 1) return ties.front().node;
    return order().first(ties).node;
  }

  const PathOrder& order() {
    if (!order_) order_.emplace(tree_);
    return *order_;
  }

  const ReportInput& input_;
  const Tree& tree_;
  std::optional<PathOrder> order_;      // made for the first tie
  std::vector<std::uint32_t> entries_;  // of each directory, by DirId
  std::uint64_t all_entries_ = 0;
  std::uint64_t directories_ = 0;
  std::uint32_t largest_ = 0;
  std::uint32_t deepest_ = 0;
  std::optional<NodeId> largest_node_;
  std::optional<NodeId> deepest_node_;
};

void add_nothing(std::vector<Cell>& cells, std::size_t count) {
  cells.resize(cells.size() + count);
}

std::vector<Cell> cells_of(const ReportInput& input) {
  const Tree& tree = input.tree();
  std::vector<Cell> cells;
  const Shape shape(input);
  if (const auto deepest = shape.deepest()) {
    add_cells(cells, tree.path(*deepest), std::int64_t{shape.depth()});
  } else {
    add_nothing(cells, 2);
  }
  if (const auto largest = shape.largest()) {
    add_cells(cells, tree.path(*largest), shape.largest_entries(), shape.mean_entries());
  } else {
    add_nothing(cells, 3);
  }
  FileSizes sizes(input);
  cells.emplace_back(std::uint64_t{sizes.count()});
  if (sizes.count() == 0) {
    add_nothing(cells, 5);
    return cells;
  }
  cells.emplace_back(sizes.mean());
  for (const unsigned percent : {50, 90, 99, 100}) cells.emplace_back(sizes.percentile(percent));
  return cells;
}

}  // namespace

Table stats(const ReportInput& input) {
  std::vector<Column> columns = {
      {"deepest_path", "Deepest path", CellType::path},
      {"depth", "Its depth", CellType::number},
      {"largest_directory", "Directory with most entries", CellType::path},
      {"largest_directory_entries", "Its entries", CellType::count},
      {"entries_per_directory", "Entries per directory", CellType::count},
      {"files", "Files", CellType::count},
      {"mean_file_bytes", "Mean file size", CellType::bytes},
      {"median_file_bytes", "Median file size", CellType::bytes},
      {"p90_file_bytes", "90th percentile", CellType::bytes},
      {"p99_file_bytes", "99th percentile", CellType::bytes},
      {"max_file_bytes", "Largest file", CellType::bytes},
  };
  auto read = [found = cells_of(input)](std::size_t, std::vector<Cell>& cells) { cells = found; };
  return {report_info(ReportKind::stats).head, std::move(columns), 1, std::move(read)};
}

}  // namespace fathom::fs
