// DuplicateClasses: numbers equal directories from the bottom up, by sorting the contents of the
// directories of each height.

#include "dups/duplicate_classes.h"

#include <sys/stat.h>

#include <algorithm>
#include <optional>

#include "tree/deepest_first.h"

namespace fathom::fs {

namespace {

// A content number consists of one of these sorts and an index.
enum class Sort : std::uint64_t { nothing, empty, group, inode, link, special, directory };

constexpr std::uint64_t content(Sort sort, std::uint64_t number = 0) {
  return static_cast<std::uint64_t>(sort) << 32 | number;
}

constexpr std::uint64_t kNoContent = content(Sort::nothing);

// Flags of directories that are equal to no other, whatever else is known of them.
constexpr std::uint8_t kHopeless = kUncounted | kIncomplete | kHasOmittedChildren;

NodeId node_limit(const Tree& tree) {
  NodeId limit = 0;
  tree.for_each_node([&](NodeId node) { limit = std::max(limit, node + 1); });
  return limit;
}

// Pipes and sockets have no content. Of a device, the tree does not store which one it is.
bool holds_nothing(std::uint16_t mode) {
  return S_ISFIFO(mode) || S_ISSOCK(mode);
}

}  // namespace

DuplicateClasses::DuplicateClasses(const Scan& scan, const Duplicates& same, NamesNow* names)
    : tree_(scan.tree),
      names_(names),
      file_of_(node_limit(tree_), kNoFile),
      hopeless_(tree_.directory_limit()),
      first_child_(tree_.directory_limit() + 1),
      child_count_(tree_.directory_limit()),
      class_of_(tree_.directory_limit(), kNoClass) {
  number_files(same);
  find_hopeless(scan);
  hand_up_hopelessness();
  gather_children();
  number_directories();
}

void DuplicateClasses::number_files(const Duplicates& same) {
  files_.reserve(same.files);
  for (std::uint32_t group = 0; group < same.groups.size(); ++group) {
    const std::vector<DuplicateFile>& files = same.groups[group].files;
    // Storages are numbered from 0: if the last number is missing, some files share a storage.
    const bool share = std::none_of(files.begin(), files.end(), [&](const DuplicateFile& file) {
      return file.storage + 1 == files.size();
    });
    for (const DuplicateFile& file : files) {
      const auto number = static_cast<std::uint32_t>(files_.size());
      files_.push_back({group, file.storage, share || !file.links.empty()});
      file_of_[file.node] = number;
      for (const NodeId link : file.links) file_of_[link] = number;
    }
  }
}

std::uint64_t DuplicateClasses::content_of(NodeId node) {
  const Kind kind = tree_.kind(node);
  if (kind == Kind::file && tree_.size(node) == 0) {
    return names_ == nullptr || names_->is_unmodified(node) ? content(Sort::empty) : kNoContent;
  }
  if (file_of_[node] != kNoFile) return content(Sort::group, files_[file_of_[node]].group);
  if (kind == Kind::symlink) {
    const std::optional<std::string_view> target = link_target(node);
    if (!target) return kNoContent;
    const auto next = static_cast<std::uint32_t>(targets_.size());
    return content(Sort::link, targets_.try_emplace(*target, next).first->second);
  }
  const std::uint16_t mode = tree_.entry(node).mode;
  if (kind == Kind::other && holds_nothing(mode)) return content(Sort::special, mode & S_IFMT);
  if (tree_.links(node) < 2) return kNoContent;
  const auto next = static_cast<std::uint32_t>(inodes_.size());
  const auto inode = std::pair(tree_.device(node), tree_.inode(node));
  return content(Sort::inode, inodes_.try_emplace(inode, next).first->second);
}

std::optional<std::string_view> DuplicateClasses::link_target(NodeId node) {
  if (names_ != nullptr) return names_->link_target(node);
  const std::optional<LinkTarget> target = tree_.link_target(node);
  return target ? std::optional(target->path) : std::nullopt;
}

void DuplicateClasses::find_hopeless(const Scan& scan) {
  for (const ExcludedEntry& entry : scan.excluded) {
    if (entry.in != kNoDir) hopeless_[entry.in] = true;
  }
  tree_.for_each_directory([&](DirId id) {
    if ((tree_.flags(tree_.node(id)) & kHopeless) != 0) hopeless_[id] = true;
  });
  tree_.for_each_node([&](NodeId node) {
    const DirId parent = tree_.parent(node);
    if (parent == kNoDir || hopeless_[parent] || tree_.kind(node) == Kind::directory) return;
    if (content_of(node) == kNoContent) hopeless_[parent] = true;
  });
  if (names_ == nullptr) return;
  tree_.for_each_directory([&](DirId id) {
    if (!hopeless_[id] && !names_->is_unmodified(tree_.node(id))) hopeless_[id] = true;
  });
}

void DuplicateClasses::hand_up_hopelessness() {
  for (const DirId id : deepest_first(tree_)) {
    const DirId parent = tree_.parent_of(id);
    if (parent != kNoDir && hopeless_[id]) hopeless_[parent] = true;
  }
}

void DuplicateClasses::gather_children() {
  const auto add = [this](NodeId node, DirId directory, DirId parent) {
    Child& child = children_[first_child_[parent] + child_count_[parent]++];
    child = {node, directory, directory == kNoDir ? content_of(node) : kNoContent};
  };
  const auto hopeful_parent = [this](NodeId node) {
    const DirId parent = tree_.parent(node);
    return parent == kNoDir || hopeless_[parent] ? kNoDir : parent;
  };
  tree_.for_each_node([&](NodeId node) {
    const DirId parent = hopeful_parent(node);
    if (parent != kNoDir) ++first_child_[parent + 1];
  });
  for (std::size_t i = 1; i < first_child_.size(); ++i) first_child_[i] += first_child_[i - 1];
  children_.resize(first_child_.back());
  tree_.for_each_node([&](NodeId node) {
    if (tree_.kind(node) == Kind::directory) return;
    const DirId parent = hopeful_parent(node);
    if (parent != kNoDir) add(node, kNoDir, parent);
  });
  tree_.for_each_directory([&](DirId id) {
    const DirId parent = hopeful_parent(tree_.node(id));
    if (parent != kNoDir) add(tree_.node(id), id, parent);
  });
  tree_.for_each_directory([&](DirId id) {
    const auto begin = children_.begin() + first_child_[id];
    std::sort(begin, begin + child_count_[id], [this](const Child& a, const Child& b) {
      return tree_.name(a.node) < tree_.name(b.node);
    });
  });
}

// The directories that may be equal to others, the lowest first; and where each height begins, with
// the end as the last element.
std::vector<DirId> DuplicateClasses::by_height(std::vector<std::size_t>& first_of_height) const {
  std::vector<std::uint32_t> height(tree_.directory_limit());
  std::vector<DirId> hopeful;
  std::uint32_t highest = 0;
  for (const DirId id : deepest_first(tree_)) {
    const DirId parent = tree_.parent_of(id);
    if (parent != kNoDir) height[parent] = std::max(height[parent], height[id] + 1);
    if (hopeless_[id]) continue;
    hopeful.push_back(id);
    highest = std::max(highest, height[id]);
  }
  std::stable_sort(hopeful.begin(), hopeful.end(),
                   [&](DirId a, DirId b) { return height[a] < height[b]; });
  for (std::size_t i = 0; i < hopeful.size(); ++i) {
    while (first_of_height.size() <= height[hopeful[i]]) first_of_height.push_back(i);
  }
  first_of_height.push_back(hopeful.size());
  return hopeful;
}

void DuplicateClasses::number_directories() {
  std::vector<std::size_t> first_of_height;
  std::vector<DirId> hopeful = by_height(first_of_height);
  for (std::size_t height = 0; height + 1 < first_of_height.size(); ++height) {
    const std::size_t first = first_of_height[height];
    number_level(std::span(hopeful).subspan(first, first_of_height[height + 1] - first));
  }
}

// Directories of lower heights are already numbered. One without a number is equal to no other.
void DuplicateClasses::number_subdirectories(DirId directory) {
  for (std::size_t i = 0; i < child_count_[directory] && !hopeless_[directory]; ++i) {
    Child& child = children_[first_child_[directory] + i];
    if (child.directory == kNoDir) continue;
    const std::uint32_t number = class_of_[child.directory];
    if (number == kNoClass) hopeless_[directory] = true;
    child.content = content(Sort::directory, number);
  }
}

void DuplicateClasses::number_level(std::span<DirId> level) {
  for (const DirId id : level) number_subdirectories(id);
  const auto end =
      std::remove_if(level.begin(), level.end(), [this](DirId id) { return hopeless_[id]; });
  std::sort(level.begin(), end, [this](DirId a, DirId b) { return compare(a, b) < 0; });
  for (auto first = level.begin(); first != end;) {
    const auto last =
        std::find_if(first + 1, end, [&](DirId id) { return compare(*first, id) != 0; });
    if (last - first > 1) add_class({first, last});
    first = last;
  }
}

void DuplicateClasses::add_class(std::span<const DirId> equal) {
  for (const DirId id : equal) {
    class_of_[id] = classes();
    members_.push_back(id);
  }
  first_member_.push_back(static_cast<std::uint32_t>(members_.size()));
}

int DuplicateClasses::compare(DirId a, DirId b) const {
  if (child_count_[a] != child_count_[b]) return child_count_[a] < child_count_[b] ? -1 : 1;
  const std::span<const Child> of_a = children(a);
  const std::span<const Child> of_b = children(b);
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    if (of_a[i].content != of_b[i].content) return of_a[i].content < of_b[i].content ? -1 : 1;
    const int order = tree_.name(of_a[i].node).compare(tree_.name(of_b[i].node));
    if (order != 0) return order;
  }
  return 0;
}

}  // namespace fathom::fs
