// Preorder: the entries of each directory are sorted in parallel, then a walk numbers them.

#include "snapshot/preorder.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "fathom/base/byte_order.h"
#include "fathom/fs/children.h"
#include "fathom/rt/parallel.h"
#include "fathom/rt/parallel_sort.h"

namespace fathom::store {

namespace {

// Larger directories are sorted by several threads.
constexpr std::size_t kLarge = std::size_t{1} << 14;

struct Member {
  fs::NodeId node;
  fs::DirId directory;  // kNoDir if it is not one
};

// The first bytes of a name, which decide most comparisons.
std::uint64_t prefix_of(std::string_view name) {
  std::uint64_t prefix = 0;
  if (name.size() >= sizeof prefix) {
    std::memcpy(&prefix, name.data(), sizeof prefix);
    return __builtin_bswap64(base::little_endian(prefix));
  }
  for (std::size_t i = 0; i < sizeof prefix; ++i) {
    const auto byte = i < name.size() ? static_cast<unsigned char>(name[i]) : 0U;
    prefix = prefix << 8 | byte;
  }
  return prefix;
}

// The members of one directory, to be sorted by name.
class Siblings {
 public:
  explicit Siblings(const fs::Tree& tree) : tree_(tree) {}

  void clear() { members_.clear(); }
  void add(Member member) {
    const std::string_view name = tree_.name(member.node);
    members_.push_back({.prefix = prefix_of(name), .name = name, .member = member});
  }
  [[nodiscard]] std::size_t size() const { return members_.size(); }

  void sort() { std::sort(members_.begin(), members_.end(), Less{tree_}); }
  void sort(rt::Executor& executor) {
    rt::parallel_sort(executor, members_.begin(), members_.end(), Less{tree_});
  }

  void write(std::span<Member> to) const {
    for (std::size_t i = 0; i < members_.size(); ++i) to[i] = members_[i].member;
  }

 private:
  struct Named {
    std::uint64_t prefix;
    std::string_view name;
    Member member;
  };
  struct Less {
    const fs::Tree& tree;
    bool operator()(const Named& a, const Named& b) const {
      if (a.prefix != b.prefix) return a.prefix < b.prefix;
      const int compared = a.name.compare(b.name);
      return compared != 0 ? compared < 0 : tree.path_less(a.member.node, b.member.node);
    }
  };

  const fs::Tree& tree_;
  std::vector<Named> members_;
};

class Builder {
 public:
  Builder(const fs::Tree& tree, rt::Executor& executor)
      : tree_(tree), executor_(executor), children_(tree), roots_(tree) {}

  OrderTables build() {
    place_groups();
    sort_groups();
    count_below();
    number();
    return std::move(tables_);
  }

 private:
  // The members of directory d are members_[begin_[d]] up to members_[begin_[d + 1]]; those of the
  // last group are the roots.
  void place_groups() {
    const std::uint32_t limit = tree_.directory_limit();
    begin_.assign(limit + 1, 0);
    std::uint32_t next = 0;
    for (fs::DirId id = 0; id < limit; ++id) {
      begin_[id] = next;
      next += static_cast<std::uint32_t>(children_.directories(id).size() +
                                         children_.others(id).size());
    }
    begin_[limit] = next;
    find_roots();
    members_.resize(next + roots_.size());
    roots_.sort();
    roots_.write(std::span(members_).subspan(next));
  }

  void find_roots() {
    tree_.for_each_directory([&](fs::DirId id) {
      if (tree_.parent_of(id) == fs::kNoDir) roots_.add({tree_.node(id), id});
    });
    for (const fs::NodeId root : tree_.roots()) {
      if (root != fs::kNoNode && tree_.kind(root) != fs::Kind::directory) {
        roots_.add({root, fs::kNoDir});
      }
    }
  }

  [[nodiscard]] std::span<Member> group(std::uint32_t index) {
    const std::size_t end = index + 1 < begin_.size() ? begin_[index + 1] : members_.size();
    return std::span(members_).subspan(begin_[index], end - begin_[index]);
  }

  void sort_groups() {
    rt::parallel_for(executor_, fs::DirId{0}, tree_.directory_limit(),
                     [this](fs::DirId first, fs::DirId last) {
                       Siblings siblings(tree_);
                       for (fs::DirId id = first; id < last; ++id) sort_group(id, siblings);
                     });
  }

  void sort_group(fs::DirId of, Siblings& siblings) {
    const std::span<Member> sorted = group(of);
    if (sorted.empty()) return;
    siblings.clear();
    for (const fs::DirId id : children_.directories(of)) siblings.add({tree_.node(id), id});
    for (const fs::NodeId node : children_.others(of)) siblings.add({node, fs::kNoDir});
    if (sorted.size() < kLarge) {
      siblings.sort();
    } else {
      siblings.sort(executor_);
    }
    siblings.write(sorted);
  }

  // From the deepest directories to the roots: a directory comes after its parent in `found`.
  void count_below() {
    std::vector<std::uint32_t>& below = tables_.below;
    below.assign(tree_.directory_limit(), 0);
    std::vector<fs::DirId> found;
    for (const Member& root : group(tree_.directory_limit())) {
      if (root.directory != fs::kNoDir) found.push_back(root.directory);
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (const fs::DirId inside : children_.directories(found[i])) found.push_back(inside);
    }
    for (auto id = found.rbegin(); id != found.rend(); ++id) {
      below[*id] += static_cast<std::uint32_t>(children_.others(*id).size());
      const fs::DirId parent = tree_.parent_of(*id);
      if (parent != fs::kNoDir) below[parent] += below[*id] + 1;
    }
    tables_.directories.reserve(found.size());
  }

  void number() {
    tables_.nodes.reserve(members_.size());
    tables_.row_of.assign(tree_.directory_limit(), 0);
    tables_.path_length.assign(tree_.directory_limit(), 0);
    std::vector<std::span<const Member>> open{group(tree_.directory_limit())};
    while (!open.empty()) {
      if (open.back().empty()) {
        open.pop_back();
        continue;
      }
      const Member member = open.back().front();
      open.back() = open.back().subspan(1);
      if (member.directory != fs::kNoDir) {
        enter(member);
        open.emplace_back(group(member.directory));
      }
      tables_.nodes.push_back(member.node);
    }
  }

  void enter(const Member& member) {
    const fs::DirId parent = tree_.parent_of(member.directory);
    const std::size_t above =
        parent == fs::kNoDir ? 0 : tables_.path_length[parent] + std::size_t{1};
    const std::size_t length = above + tree_.name(member.node).size();
    tables_.path_length[member.directory] =
        static_cast<std::uint32_t>(std::min(length, kMostPath + 1));
    tables_.row_of[member.directory] = static_cast<std::uint32_t>(tables_.nodes.size());
    tables_.directories.push_back(member.directory);
  }

  const fs::Tree& tree_;
  rt::Executor& executor_;
  const fs::Children children_;
  Siblings roots_;
  std::vector<std::uint32_t> begin_;
  std::vector<Member> members_;
  OrderTables tables_;
};

}  // namespace

Preorder::Preorder(const fs::Tree& tree, rt::Executor& executor, std::uint64_t first)
    : tree_(tree), first_(first), tables_(Builder(tree, executor).build()) {}

std::vector<Row> Preorder::rows(std::uint64_t begin, std::size_t most) const {
  const auto& [nodes, directories, row_of, below, path_length] = tables_;
  std::vector<Row> rows;
  const std::uint64_t end = begin + std::min<std::uint64_t>(most, size() - begin);
  rows.reserve(end - begin);
  auto directory = std::partition_point(directories.begin(), directories.end(),
                                        [&](fs::DirId id) { return tables_.row_of[id] < begin; });
  std::size_t paths = 0;
  for (std::uint64_t at = begin; at < end && paths < kMostPaths; ++at) {
    const fs::NodeId node = nodes[at];
    const fs::DirId parent = tree_.parent(node);
    Row row{.name = tree_.name(node),
            .node = node,
            .directory = fs::kNoDir,
            .parent = parent == fs::kNoDir ? kNoRow : first_ + row_of[parent],
            .end = first_ + at + 1,
            .depth = parent == fs::kNoDir ? 0 : tree_.depth(parent) + 1};
    if (directory != directories.end() && row_of[*directory] == at) {
      row.directory = *directory++;
      row.end += below[row.directory];
      const std::uint32_t length = path_length[row.directory];
      if (below[row.directory] != 0 && length <= kMostPath) paths += length;
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace fathom::store
