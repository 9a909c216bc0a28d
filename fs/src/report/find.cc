// find_entries: one pass over the directories, the highest first, and one over all other entries.

#include "fathom/fs/find.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "fathom/base/saturating.h"
#include "fathom/fs/kind_words.h"
#include "fathom/fs/name_matcher.h"
#include "fathom/fs/owner_names.h"
#include "fathom/fs/where_facts.h"
#include "report/columns.h"
#include "report/path_order.h"
#include "tree/deepest_first.h"

namespace fathom::fs {

namespace {

// Adds up what matches and what is in directories that match.
class Union {
 public:
  explicit Union(const Tree& tree) : tree_(tree), covered_(tree.directory_limit()) {}

  // Directories must be added before what is in them.
  void add_directory(DirId id, bool matches) {
    const DirId parent = tree_.parent_of(id);
    covered_[id] = matches || (parent != kNoDir && covered_[parent]);
    const NodeId node = tree_.node(id);
    if (covered_[id] && (tree_.flags(node) & kIncomplete) != 0) sum_.lower_bound = true;
    add(node, matches, covered_[id]);
  }
  void add_other(NodeId node, bool matches) {
    const DirId parent = tree_.parent(node);
    add(node, matches, matches || (parent != kNoDir && covered_[parent]));
  }

  [[nodiscard]] FoundSum take() {
    const auto identity = [](const Linked& name) { return std::tie(name.device, name.inode); };
    std::sort(linked_.begin(), linked_.end(),
              [&](const Linked& a, const Linked& b) { return identity(a) < identity(b); });
    for (std::size_t i = 0; i < linked_.size(); ++i) {
      if (i == 0 || identity(linked_[i]) != identity(linked_[i - 1])) add_bytes(linked_[i].node);
    }
    return sum_;
  }

 private:
  // A name of an inode that may have several.
  struct Linked {
    std::uint64_t device;
    std::uint64_t inode;
    NodeId node;
  };

  void add(NodeId node, bool matches, bool covered) {
    if (matches) ++sum_.matches;
    if (!covered || (tree_.flags(node) & kUncounted) != 0) return;
    switch (tree_.kind(node)) {
      case Kind::directory:
        ++sum_.counts.dirs;
        return add_bytes(node);
      case Kind::file:
        ++sum_.counts.files;
        break;
      case Kind::symlink:
        ++sum_.counts.symlinks;
        break;
      case Kind::other:
        ++sum_.counts.others;
        break;
    }
    if (tree_.links(node) == 1) return add_bytes(node);
    linked_.push_back({tree_.device(node), tree_.inode(node), node});
  }

  void add_bytes(NodeId node) {
    const Entry sizes{.size = tree_.size(node), .blocks = tree_.blocks(node)};
    Counts& counts = sum_.counts;
    counts.disk_bytes = base::saturating_add(counts.disk_bytes, sizes.disk_bytes());
    counts.apparent_bytes = base::saturating_add(counts.apparent_bytes, sizes.apparent_bytes());
  }

  const Tree& tree_;
  std::vector<bool> covered_;  // by DirId: it matches, or is in a directory that does
  std::vector<Linked> linked_;
  FoundSum sum_;
};

class FindPass {
 public:
  FindPass(const ReportInput& input, const FindQuery& query)
      : tree_(input.tree()),
        totals_(input.totals()),
        filters_(query.filters),
        least_(std::exchange(filters_.min_size, 0)),
        total_(tree_),
        unions_(query.patterns.size(), Union(tree_)),
        where_(query.where),
        now_(input.now()) {
    if (where_) facts_.emplace(input);
    for (const std::string& pattern : query.patterns) {
      matchers_.emplace_back(pattern, NameMatcher::Query::pattern);
    }
    find_inner_roots();
  }

  void run() {
    const std::vector<DirId> directories = deepest_first(tree_);
    for (auto id = directories.rbegin(); id != directories.rend(); ++id) look_at_directory(*id);
    tree_.for_each_node([this](NodeId node) {
      if (tree_.kind(node) == Kind::directory) return;
      const bool any = match({node, kNoDir});
      for (std::size_t i = 0; i < unions_.size(); ++i) unions_[i].add_other(node, matched_[i]);
      total_.add_other(node, any);
    });
  }

  [[nodiscard]] Found take() {
    Found found;
    for (Union& of_pattern : unions_) found.sums.push_back(of_pattern.take());
    found.total = total_.take();
    if (items_.size() > 1) PathOrder(tree_).sort(items_);
    for (const auto& [node, id] : items_) found.entries.push_back({node, id});
    return found;
  }

 private:
  // Roots inside other roots, where they are marked as repeated if they are counted as roots.
  void find_inner_roots() {
    if (tree_.roots().size() < 2) return;
    tree_.for_each_directory([this](DirId id) {
      const NodeId node = tree_.node(id);
      if ((tree_.flags(node) & kRepeated) == 0 || tree_.parent_of(id) == kNoDir) return;
      inner_roots_.emplace(tree_.device(node), tree_.inode(node));
    });
  }

  void look_at_directory(DirId id) {
    const NodeId node = tree_.node(id);
    const bool candidate = tree_.parent_of(id) != kNoDir ||
                           inner_roots_.contains({tree_.device(node), tree_.inode(node)});
    if (!candidate) matched_.assign(unions_.size(), false);
    const bool any = candidate && match({node, id});
    for (std::size_t i = 0; i < unions_.size(); ++i) unions_[i].add_directory(id, matched_[i]);
    total_.add_directory(id, any);
  }

  // Whether any pattern matches; sets matched_, and lists the entry.
  bool match(const FoundEntry& entry) {
    matched_.assign(unions_.size(), false);
    if ((tree_.flags(entry.node) & kUncounted) != 0) return false;
    const std::string_view name = own_name(tree_, entry.node);
    bool any = false;
    for (std::size_t i = 0; i < matchers_.size(); ++i) {
      if (matchers_[i](name)) any = matched_[i] = true;
    }
    if (!any) return false;
    if (!passes(name, entry)) {
      matched_.assign(unions_.size(), false);
      return false;
    }
    items_.push_back({entry.node, entry.directory});
    return true;
  }

  [[nodiscard]] bool passes(std::string_view name, const FoundEntry& entry) {
    const Entry metadata = tree_.entry(entry.node);
    const std::uint64_t bytes = entry.directory == kNoDir
                                    ? bytes_of(metadata, filters_.measure)
                                    : bytes_of(totals_.below(entry.directory), filters_.measure);
    if (bytes < least_ || !filters_.matches(name, metadata)) return false;
    if (!where_) return true;
    facts_->of_entries.look_at(entry.node, entry.directory);
    return where_->selects(facts_->of_entries, now_);
  }

  // What a Where asks about.
  struct AskedFacts {
    explicit AskedFacts(const ReportInput& input)
        : names(input.scan().owner_names()),
          of_entries(input.tree(), input.totals(), input.newest(), names, input.now()) {}

    const OwnerNames names;
    TreeFacts of_entries;
  };

  const Tree& tree_;
  const Totals& totals_;
  Selection filters_;  // without the least size
  const std::uint64_t least_;
  std::vector<NameMatcher> matchers_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> inner_roots_;  // by device and inode
  Union total_;
  std::vector<Union> unions_;  // by pattern
  const std::optional<Where>& where_;
  const std::int64_t now_;
  std::optional<AskedFacts> facts_;     // if there is a Where
  std::vector<bool> matched_;           // by pattern: whether it matches the current entry
  std::vector<PathOrder::Item> items_;  // the entries that match, with their DirId
};

}  // namespace

std::string_view own_name(const Tree& tree, NodeId node) {
  const std::string_view name = tree.name(node);
  if (tree.parent(node) != kNoDir) return name;
  const std::size_t end = name.find_last_not_of('/');
  if (end == std::string_view::npos) return {};
  const std::string_view path = name.substr(0, end + 1);
  return path.substr(path.rfind('/') + 1);
}

Found find_entries(const ReportInput& input, const FindQuery& query) {
  FindPass pass(input, query);
  pass.run();
  Found found = pass.take();
  found.checked = base::saturating_add(input.totals().whole().entries(), input.scan().filtered_out);
  return found;
}

Table found_table(const ReportInput& input, const Found& found) {
  std::vector<Column> columns = {
      {"path", "Path", CellType::path},
      {"kind", "Kind", CellType::text, 5},
      {"mtime", "Modified", CellType::time, 2},
      {"entries", "Entries", CellType::count, 4},
      disk_bytes_column(input.measure()),
      apparent_bytes_column(input.measure()),
      {"lower_bound", "Lower bound", CellType::bound},
  };
  auto read = [&input, &found](std::size_t row, std::vector<Cell>& cells) {
    const Tree& tree = input.tree();
    const auto [node, id] = found.entries[row];
    const Entry entry = tree.entry(node);
    Counts counts;
    if (id != kNoDir) counts = input.totals().below(id);
    const bool single = id == kNoDir;
    add_cells(cells, tree.path(node), std::string(to_string(entry.kind())), time_cell(entry.mtime),
              single ? std::uint64_t{1} : counts.entries(),
              single ? entry.disk_bytes() : counts.disk_bytes,
              single ? entry.apparent_bytes() : counts.apparent_bytes,
              !single && input.totals().lower_bound(id));
  };
  return {{.key = "matches", .title = "Matches"},
          std::move(columns),
          found.entries.size(),
          std::move(read)};
}

Table found_sums_table(const FindQuery& query, const Found& found, Measure measure) {
  std::vector<Column> columns = {
      {"pattern", "Pattern", CellType::path},
      {"matches", "Matches", CellType::count},
      {"entries", "Entries", CellType::count, 4},
      disk_bytes_column(measure),
      apparent_bytes_column(measure),
      {"lower_bound", "Lower bound", CellType::bound},
  };
  auto read = [&query, &found](std::size_t row, std::vector<Cell>& cells) {
    const FoundSum& sum = found.sums[row];
    add_cells(cells, query.patterns[row], sum.matches, sum.counts.entries(), sum.counts.disk_bytes,
              sum.counts.apparent_bytes, sum.lower_bound);
  };
  return {{.key = "patterns", .title = "Matches by pattern"},
          std::move(columns),
          found.sums.size(),
          std::move(read)};
}

}  // namespace fathom::fs
