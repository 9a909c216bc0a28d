// duplicate_directories: walks the classes of equal directories from the largest down, and reports
// only directories that are not inside a larger copy.

#include "fathom/fs/duplicate_directories.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "dups/duplicate_classes.h"
#include "dups/names_now.h"
#include "fathom/base/saturating.h"
#include "tree/path_less.h"

namespace fathom::fs {

namespace {

// A file whose bytes may also exist elsewhere, under another name or in shared blocks.
struct Shared {
  std::uint64_t inode;
  std::uint64_t storage;
  std::uint64_t disk_bytes;
};

// The non-empty files in a directory and deeper.
struct Contents {
  std::vector<Shared> shared;
  std::uint64_t others = 0;  // files that exist nowhere else
  std::uint64_t disk_bytes_of_others = 0;

  void add(const Contents& more) {
    shared.insert(shared.end(), more.shared.begin(), more.shared.end());
    others += more.others;
    disk_bytes_of_others = base::saturating_add(disk_bytes_of_others, more.disk_bytes_of_others);
  }
};

// Marks the number of a file or storage that is in no group.
constexpr std::uint64_t kOfNoGroup = std::uint64_t{1} << 63;

class Folding {
 public:
  Folding(const Scan& scan, const Duplicates& same, NamesNow* names)
      : tree_(scan.tree),
        same_(same),
        classes_(scan, same, names),
        less_(tree_),
        in_copy_(tree_.directory_limit()) {}

  // Larger heights first: by then it is known which directories are inside a copy.
  DuplicateDirectories fold() {
    for (std::uint32_t number = classes_.classes(); number-- > 0;) fold(classes_.members(number));
    sort_groups();
    explain();
    return std::move(folded_);
  }

 private:
  [[nodiscard]] bool stands_in_copy(NodeId node) const {
    const DirId parent = tree_.parent(node);
    return parent != kNoDir && in_copy_[parent];
  }

  // Handles the members of a class that are not part of a larger copy; the first by path is not a
  // copy itself. Copies are not walked again, so the whole takes linear time.
  void fold(std::span<const DirId> members) {
    std::vector<DirId> outside;
    for (const DirId id : members) {
      in_copy_[id] = stands_in_copy(tree_.node(id));
      if (!in_copy_[id]) outside.push_back(id);
    }
    if (outside.size() < 2) return;
    std::sort(outside.begin(), outside.end(),
              [this](DirId a, DirId b) { return less_(tree_.node(a), tree_.node(b)); });
    for (const DirId id : std::span(outside).subspan(1)) in_copy_[id] = true;
    DuplicateDirectoryGroup group;
    if (!measure(outside, group)) return;
    for (const DirId id : outside) group.directories.push_back(tree_.node(id));
    folded_.groups.push_back(std::move(group));
  }

  // Computes the figures; false: the others have no inode that the first does not have.
  bool measure(const std::vector<DirId>& equal, DuplicateDirectoryGroup& group) const {
    Contents all = contents_of(equal.front(), &group);
    const std::uint64_t inodes = count_inodes(all);
    std::uint64_t most = disk_bytes(all);
    for (const DirId id : std::span(equal).subspan(1)) {
      Contents contents = contents_of(id, nullptr);
      most = std::max(most, disk_bytes(contents));
      all.add(contents);
    }
    group.wasted_bytes = disk_bytes(all) - most;
    return count_inodes(all) > inodes;
  }

  // Also counts all files for the group, if there is one.
  Contents contents_of(DirId top, DuplicateDirectoryGroup* group) const {
    Contents contents;
    std::vector<DirId> waiting = {top};
    while (!waiting.empty()) {
      const DirId id = waiting.back();
      waiting.pop_back();
      for (const DuplicateClasses::Child& child : classes_.children(id)) {
        if (child.directory != kNoDir) waiting.push_back(child.directory);
        if (tree_.kind(child.node) != Kind::file) continue;
        const std::uint64_t size = tree_.size(child.node);
        if (group != nullptr) {
          ++group->files;
          group->bytes = base::saturating_add(group->bytes, size);
        }
        if (size > 0) add(child, contents);
      }
    }
    return contents;
  }

  void add(const DuplicateClasses::Child& child, Contents& contents) const {
    const std::uint64_t bytes = base::saturating_mul(tree_.blocks(child.node), kBlockBytes);
    const std::uint32_t number = classes_.file_of(child.node);
    if (number == kNoFile) {
      contents.shared.push_back({kOfNoGroup | child.content, kOfNoGroup | child.content, bytes});
      return;
    }
    const KnownFile& file = classes_.file(number);
    if (file.is_shared) {
      contents.shared.push_back({number, std::uint64_t{file.group} << 32 | file.storage, bytes});
    } else {
      ++contents.others;
      contents.disk_bytes_of_others = base::saturating_add(contents.disk_bytes_of_others, bytes);
    }
  }

  static std::uint64_t count_inodes(Contents& contents) {
    std::vector<Shared>& shared = contents.shared;
    std::sort(shared.begin(), shared.end(),
              [](const Shared& a, const Shared& b) { return a.inode < b.inode; });
    std::uint64_t inodes = contents.others;
    for (std::size_t i = 0; i < shared.size(); ++i) {
      if (i == 0 || shared[i].inode != shared[i - 1].inode) ++inodes;
    }
    return inodes;
  }

  // Counts each storage once.
  static std::uint64_t disk_bytes(Contents& contents) {
    std::vector<Shared>& shared = contents.shared;
    std::sort(shared.begin(), shared.end(), [](const Shared& a, const Shared& b) {
      return std::pair(a.storage, a.disk_bytes) < std::pair(b.storage, b.disk_bytes);
    });
    std::uint64_t bytes = contents.disk_bytes_of_others;
    for (std::size_t i = 0; i < shared.size(); ++i) {
      if (i + 1 < shared.size() && shared[i + 1].storage == shared[i].storage) continue;
      bytes = base::saturating_add(bytes, shared[i].disk_bytes);
    }
    return bytes;
  }

  void sort_groups() {
    std::sort(folded_.groups.begin(), folded_.groups.end(),
              [this](const DuplicateDirectoryGroup& a, const DuplicateDirectoryGroup& b) {
                if (a.wasted_bytes != b.wasted_bytes) return a.wasted_bytes > b.wasted_bytes;
                return less_(a.directories.front(), b.directories.front());
              });
  }

  void explain() {
    folded_.explained.reserve(same_.groups.size());
    for (const DuplicateGroup& group : same_.groups) {
      const auto remaining =
          std::count_if(group.files.begin(), group.files.end(),
                        [this](const DuplicateFile& file) { return remains(file); });
      folded_.explained.push_back(group.size > 0 && remaining < 2);
    }
  }

  // Whether a name of the file would remain if the copies of directories were removed.
  [[nodiscard]] bool remains(const DuplicateFile& file) const {
    return !stands_in_copy(file.node) ||
           std::any_of(file.links.begin(), file.links.end(),
                       [this](NodeId link) { return !stands_in_copy(link); });
  }

  const Tree& tree_;
  const Duplicates& same_;
  const DuplicateClasses classes_;
  const PathLess less_;
  std::vector<bool> in_copy_;  // by DirId: is a copy, or is inside one
  DuplicateDirectories folded_;
};

}  // namespace

DuplicateDirectories duplicate_directories(const Scan& scan, const Duplicates& same, ScanAge age) {
  DuplicateDirectories nothing;
  nothing.explained.assign(same.groups.size(), false);
  // Without groups, directories are equal only by their names. In an interrupted scan, entries that
  // were not listed look like missing ones.
  if (same.groups.empty() || scan.cancelled) return nothing;
  std::optional<NamesNow> names;
  if (age == ScanAge::saved) names.emplace(scan.tree);
  return Folding(scan, same, names ? &*names : nullptr).fold();
}

}  // namespace fathom::fs
