// GroupLines: orders the names of a group and assigns their roles.

#include "view/group_lines.h"

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <unordered_set>

namespace fathom::cli {

namespace {

void append(const fs::DuplicateFile& file, GroupRole role, std::vector<GroupLine>& lines) {
  lines.push_back({role, file.node});
  for (const fs::NodeId link : file.links) lines.push_back({GroupRole::link, link});
}

}  // namespace

std::string_view mark_of(GroupRole role) {
  switch (role) {
    case GroupRole::keep:
      return "keep";
    case GroupRole::copy:
      return "copy";
    case GroupRole::clone:
      return "clone";
    case GroupRole::link:
      return "link";
    case GroupRole::same:
      return "same";
    case GroupRole::part:
      return "part";
  }
  return "";
}

std::vector<GroupLine> group_lines(const fs::DuplicateGroup& group,
                                   std::optional<std::size_t> kept) {
  std::vector<const fs::DuplicateFile*> files = {&group.files[kept.value_or(0)]};
  for (const fs::DuplicateFile& file : group.files) {
    if (&file != files.front()) files.push_back(&file);
  }
  std::unordered_map<std::uint32_t, std::size_t> place;  // of each storage, by its first file
  for (const fs::DuplicateFile* file : files) place.try_emplace(file->storage, place.size());
  std::stable_sort(files.begin(), files.end(),
                   [&](const fs::DuplicateFile* a, const fs::DuplicateFile* b) {
                     return place[a->storage] < place[b->storage];
                   });
  std::vector<GroupLine> lines;
  append(*files.front(), kept ? GroupRole::keep : GroupRole::same, lines);
  for (std::size_t i = 1; i < files.size(); ++i) {
    const bool shares = files[i]->storage == files[i - 1]->storage;
    const GroupRole own = kept ? GroupRole::copy : GroupRole::same;
    append(*files[i], shares ? GroupRole::clone : own, lines);
  }
  return lines;
}

// ---- Directories

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
