// GroupLines: orders the names of a group and assigns their roles.

#include "dups/group_lines.h"

#include <algorithm>
#include <unordered_map>

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

}  // namespace fathom::cli
