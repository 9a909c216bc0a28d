// DuplicateClasses: numbers for what is equal, of files and of directories.
//
// Built from the bottom: directories of one height are sorted by what is in them, which by then has
// numbers. A directory that is equal to no other makes all above it equal to none.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fathom/fs/duplicates.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/tree.h"

namespace fathom::fs {

inline constexpr std::uint32_t kNoClass = 0xffffffff;

// A file's place among those of all groups.
inline constexpr std::uint32_t kNoFile = 0xffffffff;

// Of the files of all groups, in their order.
struct KnownFile {
  std::uint32_t group;
  std::uint32_t storage;
  bool is_shared;  // it has other names, or its group a storage that is not one file's
};

class DuplicateClasses {
 public:
  DuplicateClasses(const Scan& scan, const Duplicates& same);

  // The classes, each with the directories in it, which are two or more; a class of a lower height
  // has a lower number.
  [[nodiscard]] std::uint32_t classes() const {
    return static_cast<std::uint32_t>(first_member_.size() - 1);
  }
  [[nodiscard]] std::span<const DirId> members(std::uint32_t number) const {
    return std::span(members_).subspan(first_member_[number],
                                       first_member_[number + 1] - first_member_[number]);
  }

  // What stands in a directory that is in a class.
  struct Child {
    NodeId node;
    DirId directory;        // kNoDir: it is none
    std::uint64_t content;  // the same number, whatever the name; kNoContent: not known yet
  };
  [[nodiscard]] std::span<const Child> children(DirId directory) const {
    return std::span(children_).subspan(first_child_[directory], child_count_[directory]);
  }

  // Of the node among the files of all groups, or kNoFile.
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

  const Tree& tree_;
  std::vector<std::uint32_t> file_of_;  // by NodeId
  std::vector<KnownFile> files_;
  std::unordered_map<std::string_view, std::uint32_t> targets_;              // of symbolic links
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> inodes_;  // of no group

  // By DirId.
  std::vector<bool> hopeless_;  // equal to no other
  std::vector<std::uint32_t> first_child_;
  std::vector<std::uint32_t> child_count_;
  std::vector<std::uint32_t> class_of_;  // or kNoClass

  std::vector<Child> children_;  // of those that are not hopeless; sorted by name
  std::vector<DirId> members_;
  std::vector<std::uint32_t> first_member_ = {0};
};

}  // namespace fathom::fs
