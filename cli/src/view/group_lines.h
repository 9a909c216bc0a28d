// GroupLines: the names of a group in display order, each with its role.
//
// The kept file comes first, if there is one. Each file is followed by its other names, and then by
// the files that share its blocks.

#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "fathom/fs/duplicates.h"
#include "run/dups_session.h"

namespace fathom::cli {

enum class GroupRole {
  keep,   // the file that would be kept
  copy,   // a file with its own blocks
  clone,  // a file that shares its blocks with the file above
  link,   // another name of the file above
  same,   // a file with its own blocks, in a group that is left alone
  part,   // a directory, one of several in which files would be kept
};

[[nodiscard]] std::string_view mark_of(GroupRole role);  // "keep", "copy" and so on

struct GroupLine {
  GroupRole role;
  fs::NodeId node;
};

// kept is the index of the file that would be kept; nothing if the group is left alone.
[[nodiscard]] std::vector<GroupLine> group_lines(const fs::DuplicateGroup& group,
                                                 std::optional<std::size_t> kept);

// ---- Directories

// Groups of equal directories in display order, each directory with its role if only the selected
// files were kept. For each group: `keep` if only one directory contains kept files, directly or
// below; `part` for each if several do; then `copy` for the others. Directories with the same role
// are in path order.
[[nodiscard]] std::vector<std::vector<GroupLine>> directory_lines(const DupsFinding& found);

}  // namespace fathom::cli
