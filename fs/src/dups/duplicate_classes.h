// DuplicateClasses: numbers for equal files and equal directories.
//
// Built from the bottom up: directories of one height are sorted by their contents, which already
// have numbers. If a directory is equal to no other, neither is any directory above it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dups/names_now.h"
#include "fathom/fs/duplicates.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/tree.h"

namespace fathom::fs {

inline constexpr std::uint32_t kNoClass = 0xffffffff;

// Instead of an index among the files of all groups.
inline constexpr std::uint32_t kNoFile = 0xffffffff;

// The files of all groups, in their order.
struct KnownFile {
  std::uint32_t group;
  std::uint32_t storage;
  bool is_shared;  // it has other names, or its group has a storage of several files
};

class DuplicateClasses {
 public:
  // `names`: of a saved scan, what its names lead to now; otherwise null.
  DuplicateClasses(const Scan& scan, const Duplicates& same, NamesNow* names);

  // The classes, each with its two or more directories; a class of a lower height has a lower
  // number.
  [[nodiscard]] std::uint32_t classes() const {
    return static_cast<std::uint32_t>(first_member_.size() - 1);
  }
  [[nodiscard]] std::span<const DirId> members(std::uint32_t number) const {
    return std::span(members_).subspan(first_member_[number],
                                       first_member_[number + 1] - first_member_[number]);
  }

  // An entry in a directory that is in a class.
  struct Child {
    NodeId node;
    DirId directory;        // kNoDir: not a directory
    std::uint64_t content;  // equal for equal contents; kNoContent: not known yet
  };
  [[nodiscard]] std::span<const Child> children(DirId directory) const {
    return std::span(children_).subspan(first_child_[directory], child_count_[directory]);
  }

  // The node's index among the files of all groups, or kNoFile.
  [[nodiscard]] std::uint32_t file_of(NodeId node) const { return file_of_[node]; }
  [[nodiscard]] const KnownFile& file(std::uint32_t number) const { return files_[number]; }

 private:
  void number_files(const Duplicates& same);
  void find_hopeless(const Scan& scan);
  void hand_up_hopelessness();
  void gather_children();
  void number_directories();
  void number_level(std::span<DirId> level);
  void number_subdirectories(DirId directory);
  void add_class(std::span<const DirId> equal);
  [[nodiscard]] std::vector<DirId> by_height(std::vector<std::size_t>& first_of_height) const;
  [[nodiscard]] int compare(DirId a, DirId b) const;
  [[nodiscard]] std::uint64_t content_of(NodeId node);
  [[nodiscard]] std::optional<std::string_view> link_target(NodeId node);

  const Tree& tree_;
  NamesNow* const names_;               // used by the constructor only
  std::vector<std::uint32_t> file_of_;  // by NodeId
  std::vector<KnownFile> files_;
  std::unordered_map<std::string_view, std::uint32_t> targets_;              // of symbolic links
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> inodes_;  // of files in no group

  // By DirId.
  std::vector<bool> hopeless_;  // equal to no other
  std::vector<std::uint32_t> first_child_;
  std::vector<std::uint32_t> child_count_;
  std::vector<std::uint32_t> class_of_;  // or kNoClass

  std::vector<Child> children_;  // of directories that are not hopeless; sorted by name
  std::vector<DirId> members_;
  std::vector<std::uint32_t> first_member_ = {0};
};

}  // namespace fathom::fs
