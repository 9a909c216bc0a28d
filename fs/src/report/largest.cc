// largest_files and largest_dirs: keeps a bounded set of candidates, and cuts it at the count-th
// size.

#include "report/largest.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "fathom/fs/report.h"
#include "report/columns.h"
#include "report/path_order.h"

namespace fathom::fs {

// Paths are compared only among candidates that tie for the last place, and among equal sizes at
// the end, because making a path costs a climb to the root.

namespace {

// From this number on, ordering all directories first is faster.
constexpr std::size_t kMany = 2000;

// Whether one root is inside another: then PathOrder and path_less() differ.
bool roots_nest(const Tree& tree) {
  std::vector<std::string> paths;
  for (const NodeId root : tree.roots()) {
    if (root == kNoNode) continue;
    std::string& path = paths.emplace_back(tree.name(root));
    if (!path.ends_with('/')) path += '/';
  }
  // In sorted order, a path is directly followed by the paths that begin with it.
  std::sort(paths.begin(), paths.end());
  const auto within = [](const std::string& a, const std::string& b) { return b.starts_with(a); };
  return std::adjacent_find(paths.begin(), paths.end(), within) != paths.end();
}

}  // namespace

std::vector<std::uint32_t> Largest::take() {
  cut();
  const auto sort_by = [this](const auto& path_less) {
    std::sort(items_.begin(), items_.end(), [&](const Item& a, const Item& b) {
      return a.bytes != b.bytes ? a.bytes > b.bytes : path_less(a.node, b.node);
    });
  };
  if (items_.size() < kMany) {
    sort_by([this](NodeId a, NodeId b) { return tree_.path_less(a, b); });
  } else if (roots_nest(tree_)) {
    sort_by(path_less());
  } else {
    sort_many();
  }
  if (items_.size() > count_) items_.resize(count_);
  std::vector<std::uint32_t> ids;
  ids.reserve(items_.size());
  for (const Item& item : std::exchange(items_, {})) ids.push_back(item.id);
  return ids;
}

// By path, and then stably by size.
void Largest::sort_many() {
  std::vector<PathOrder::Item> by_path;
  by_path.reserve(items_.size());
  for (std::uint32_t place = 0; place < items_.size(); ++place) {
    by_path.push_back({items_[place].node, place});
  }
  PathOrder(tree_).sort(by_path);
  std::vector<Item> sorted;
  sorted.reserve(items_.size());
  for (const PathOrder::Item& item : by_path) sorted.push_back(items_[item.id]);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Item& a, const Item& b) { return a.bytes > b.bytes; });
  items_ = std::move(sorted);
}

// Drops items smaller than the count-th one; ties stay, so there may be more than count.
void Largest::cut() {
  if (items_.size() <= count_) return;
  const auto last = items_.begin() + static_cast<std::ptrdiff_t>(count_) - 1;
  std::nth_element(items_.begin(), last, items_.end(),
                   [](const Item& a, const Item& b) { return a.bytes > b.bytes; });
  floor_ = last->bytes;
  std::erase_if(items_, [this](const Item& item) { return item.bytes < floor_; });
  if (items_.size() > kSlack && (items_.size() - kSlack) / 2 >= count_) cut_ties();
}

// For example a tree of a million equal files: only the smallest paths can be reported.
void Largest::cut_ties() {
  const auto ties = std::partition(items_.begin(), items_.end(),
                                   [this](const Item& item) { return item.bytes > floor_; });
  const std::size_t wanted = count_ - static_cast<std::size_t>(ties - items_.begin());
  const auto last = ties + static_cast<std::ptrdiff_t>(wanted);
  const PathLess& less = path_less();
  std::nth_element(ties, last, items_.end(),
                   [&less](const Item& a, const Item& b) { return less(a.node, b.node); });
  items_.erase(last, items_.end());
}

const PathLess& Largest::path_less() {
  if (!path_less_) path_less_.emplace(tree_);
  return *path_less_;
}

Table largest_files(const ReportInput& input, std::size_t count) {
  const Tree& tree = input.tree();
  Largest largest(tree, count);
  input.part().for_each_node([&](NodeId node) {
    if ((tree.flags(node) & (kRepeated | kExtraLink)) != 0) return;
    if (tree.kind(node) == Kind::directory) return;
    const Entry sizes{.size = tree.size(node), .blocks = tree.blocks(node)};
    largest.add({bytes_of(sizes, input.measure()), node, node});
  });
  std::vector<Column> columns = {
      {"path", "Path", CellType::path},
      disk_bytes_column(input.measure()),
      apparent_bytes_column(input.measure()),
      {"mtime", "Modified", CellType::time, 2},
  };
  std::vector<NodeId> nodes = largest.take();
  const std::size_t rows = nodes.size();
  auto read = [&tree, nodes = std::move(nodes)](std::size_t row, std::vector<Cell>& cells) {
    const Entry entry = tree.entry(nodes[row]);
    add_cells(cells, tree.path(nodes[row]), entry.disk_bytes(), entry.apparent_bytes(),
              time_cell(entry.mtime));
  };
  return {report_info(ReportKind::largest_files).head, std::move(columns), rows, std::move(read)};
}

namespace {

constexpr std::string_view kFoldedNote =
    "Not shown: directories with most of their size in one subdirectory";
constexpr std::uint64_t kOwnPart = 3;  // a third of the bytes of a directory that is not folded

// The directories that a list of the largest leaves out, by DirId: most of what they contain is in
// one subdirectory, whose row says more.
std::vector<bool> mostly_one_subdirectory(const ReportInput& input) {
  const Tree& tree = input.tree();
  const auto bytes = [&input](DirId id) {
    return bytes_of(input.totals().below(id), input.measure());
  };
  std::vector<bool> folded(tree.directory_limit());
  input.part().for_each_directory([&](DirId id) {
    const DirId parent = tree.parent_of(id);
    if (parent == kNoDir || id == input.part().directory() || bytes(id) == 0) return;
    const std::uint64_t whole = bytes(parent);
    if (bytes(id) >= whole - whole / kOwnPart) folded[parent] = true;
  });
  return folded;
}

}  // namespace

Table largest_dirs(const ReportInput& input, std::size_t count, Levels levels) {
  const Tree& tree = input.tree();
  const Totals& totals = input.totals();
  const bool folds = levels == Levels::folded;
  const std::vector<bool> folded =
      folds ? mostly_one_subdirectory(input) : std::vector<bool>(tree.directory_limit());
  Largest largest(tree, count);
  input.part().for_each_directory([&](DirId id) {
    const NodeId node = tree.node(id);
    if ((tree.flags(node) & kUncounted) != 0 && totals.below(id).entries() == 0) return;
    if (folded[id]) return;
    largest.add({bytes_of(totals.below(id), input.measure()), node, id});
  });
  std::vector<Column> columns = {
      {"path", "Path", CellType::path},
      {"files", "Files", CellType::count, 4},
      {"dirs", "Directories", CellType::count, 4},
      {"symlinks", "Symlinks", CellType::count, 5},
      {"others", "Others", CellType::count, 5},
      {"entries", "Entries", CellType::count, 2},
      disk_bytes_column(input.measure()),
      apparent_bytes_column(input.measure()),
      {"lower_bound", "Lower bound", CellType::bound},
  };
  std::vector<DirId> ids = largest.take();
  const std::size_t rows = ids.size();
  auto read = [&tree, &totals, ids = std::move(ids)](std::size_t row, std::vector<Cell>& cells) {
    const Counts below = totals.below(ids[row]);
    add_cells(cells, tree.path(tree.node(ids[row])), below.files, below.dirs, below.symlinks,
              below.others, below.entries(), below.disk_bytes, below.apparent_bytes,
              totals.lower_bound(ids[row]));
  };
  TableHead head = report_info(ReportKind::largest_dirs).head;
  if (std::find(folded.begin(), folded.end(), true) != folded.end()) head.note = kFoldedNote;
  return {head, std::move(columns), rows, std::move(read)};
}

}  // namespace fathom::fs
