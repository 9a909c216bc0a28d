// DirectoryLines: assigns a role to each directory of a group.

#include "dups/directory_lines.h"

#include <cstddef>
#include <unordered_set>

namespace fathom::cli {

namespace {

// The directories that contain a kept file, directly or below. In a group that is left alone, every
// file is kept.
class Keepers {
 public:
  explicit Keepers(const DupsFinding& found) : tree_(found.scan.tree) {
    for (std::size_t i = 0; i < found.same.groups.size(); ++i) {
      const std::vector<fs::DuplicateFile>& files = found.same.groups[i].files;
      if (const auto kept = found.kept_in(i)) {
        add(files[*kept]);
      } else {
        for (const fs::DuplicateFile& file : files) add(file);
      }
    }
  }

  [[nodiscard]] bool contain(fs::NodeId directory) const { return nodes_.contains(directory); }

 private:
  void add(const fs::DuplicateFile& file) {
    add(file.node);
    for (const fs::NodeId link : file.links) add(link);
  }
  void add(fs::NodeId node) {
    for (fs::DirId id = tree_.parent(node); id != fs::kNoDir; id = tree_.parent_of(id)) {
      if (!nodes_.insert(tree_.node(id)).second) return;  // its ancestors are in the set too
    }
  }

  const fs::Tree& tree_;
  std::unordered_set<fs::NodeId> nodes_;
};

std::vector<GroupLine> lines_of(const fs::DuplicateDirectoryGroup& group, const Keepers& keepers) {
  std::vector<GroupLine> lines;
  for (const fs::NodeId directory : group.directories) {
    if (keepers.contain(directory)) lines.push_back({GroupRole::part, directory});
  }
  if (lines.size() == 1) lines.front().role = GroupRole::keep;
  for (const fs::NodeId directory : group.directories) {
    if (!keepers.contain(directory)) lines.push_back({GroupRole::copy, directory});
  }
  return lines;
}

}  // namespace

std::vector<std::vector<GroupLine>> directory_lines(const DupsFinding& found) {
  std::vector<std::vector<GroupLine>> all;
  if (found.directories.groups.empty()) return all;
  const Keepers keepers(found);
  for (const fs::DuplicateDirectoryGroup& group : found.directories.groups) {
    all.push_back(lines_of(group, keepers));
  }
  return all;
}

}  // namespace fathom::cli
