// GroupLines: the names of a group in the order in which people read them, each with what it is.
//
// The kept file is the first. Behind each file stand its other names, and behind these the files
// that share its blocks.

#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "fathom/fs/duplicates.h"

namespace fathom::cli {

enum class GroupRole {
  keep,   // the file that would be kept
  copy,   // one that takes room of its own
  clone,  // one that shares its blocks with the file above
  link,   // another name of the file above
  part,   // of directories: one of several in which files would be kept
};

[[nodiscard]] std::string_view mark_of(GroupRole role);  // "keep", "copy" and so on

struct GroupLine {
  GroupRole role;
  fs::NodeId node;
};

// kept is the place of the file that would be kept.
[[nodiscard]] std::vector<GroupLine> group_lines(const fs::DuplicateGroup& group, std::size_t kept);

}  // namespace fathom::cli
