// GroupLines: the names of a group in the order in which people read them, each with what it is.
//
// The kept file is the first, if one is kept. Behind each file stand its other names, and behind
// these the files that share its blocks.

#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "fathom/fs/duplicates.h"

namespace fathom::cli {

enum class GroupRole {
  keep,   // the file that would be kept
  copy,   // one that takes room of its own
  clone,  // one that shares its blocks with the file above
  link,   // another name of the file above
  same,   // one of a group that is left alone, which takes room of its own
  part,   // of directories: one of several in which files would be kept
};

[[nodiscard]] std::string_view mark_of(GroupRole role);  // "keep", "copy" and so on

struct GroupLine {
  GroupRole role;
  fs::NodeId node;
};

// kept is the place of the file that would be kept; nothing if the group is left alone.
[[nodiscard]] std::vector<GroupLine> group_lines(const fs::DuplicateGroup& group,
                                                 std::optional<std::size_t> kept);

}  // namespace fathom::cli
