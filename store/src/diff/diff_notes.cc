#include "diff/diff_notes.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <tuple>

#include "diff/other_filesystem.h"
#include "fathom/fs/filesystem_id.h"
#include "fathom/fs/table.h"

namespace fathom::store {

namespace {

void note_sides(const SnapshotMeta& before, const SnapshotMeta& after, bool alone,
                std::vector<std::string>& notes) {
  for (const auto& [one, other, which] :
       {std::tuple(&before, &after, "first"), std::tuple(&after, &before, "second")}) {
    const auto missing = missing_roots(*one, *other);
    if (!missing.empty() && !alone) {
      notes.push_back("only in the " + std::string(which) +
                      " snapshot, and not compared: " + list_of(missing));
    }
    if (!one->complete()) {
      notes.push_back("the " + std::string(which) + " snapshot lacks " +
                      std::to_string(one->errors) + (one->errors == 1 ? " entry" : " entries") +
                      " that could not be read, so its sizes are lower bounds");
    }
  }
}

// What a snapshot says of the filesystem that a root is on; null if it says nothing.
const SnapshotFilesystem* filesystem_of(const SnapshotMeta& meta, const std::string& root) {
  const auto at = std::find(meta.roots.begin(), meta.roots.end(), root) - meta.roots.begin();
  for (const SnapshotFilesystem& filesystem : meta.filesystems) {
    const auto& roots = filesystem.roots;
    if (std::find(roots.begin(), roots.end(), static_cast<std::size_t>(at)) != roots.end()) {
      return &filesystem;
    }
  }
  return nullptr;
}

bool is_on_another(const std::string& root, const SnapshotMeta& before, const SnapshotMeta& after) {
  const SnapshotFilesystem* const was = filesystem_of(before, root);
  const SnapshotFilesystem* const is = filesystem_of(after, root);
  return was != nullptr && is != nullptr && is_other(*was, *is);
}

}  // namespace

std::string list_of(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + text;
  return list.empty() ? "none" : list;
}

std::vector<std::string> notes_about(const SnapshotMeta& before, const SnapshotMeta& after,
                                     bool alone, const std::string& path) {
  std::vector<std::string> notes;
  note_sides(before, after, alone, notes);
  if (alone) {
    notes.push_back("the snapshots are of different paths: what was moved into " + path +
                    " or out of it counts as created or removed, and a hard link that another "
                    "path counts in one of them as grown or shrunk");
  }
  if (!same_selection(before, after)) {
    notes.push_back("the snapshots were made with different options: " + list_of(before.selection) +
                    "; and " + list_of(after.selection));
  } else if (before.rules != 0 && after.rules != 0 && before.rules != after.rules) {
    notes.emplace_back("the files of --exclude-from contained other rules for the second snapshot");
  }
  if (!before.host.empty() && !after.host.empty() && before.host != after.host) {
    notes.push_back("the snapshots are of different hosts: " + before.host + " and " + after.host);
  }
  return notes;
}

std::string other_filesystem_at(const std::string& path) {
  return "another filesystem is at " + path + " now";
}

void note_long_paths(Diff& diff) {
  std::uint64_t missing = 0;
  for (const DiffList* list : {&diff.changed, &diff.created, &diff.removed, &diff.moved}) {
    missing += list->too_long;
  }
  if (missing == 0) return;
  diff.notes.push_back("the lists leave out " + std::to_string(missing) +
                       (missing == 1 ? " entry" : " entries") + " with paths of more than " +
                       std::to_string(fs::kLongestPath) + " bytes");
}

void note_filesystems(const std::vector<CommonRoot>& roots, const SnapshotMeta& before,
                      DirectoryTable& table_before, const SnapshotMeta& after,
                      DirectoryTable& table_after, std::vector<std::string>& notes) {
  bool identified = true;
  for (const CommonRoot& root : roots) {
    if (root.before == kNoRow || root.after == kNoRow) continue;
    const std::string_view was = table_before.text(DirectoryColumn::fs_uuid, root.before);
    const std::string_view is = table_after.text(DirectoryColumn::fs_uuid, root.after);
    if (was == is && !was.empty()) continue;
    if ((fs::is_uuid(was) && fs::is_uuid(is)) || is_on_another(root.path, before, after)) {
      notes.push_back(other_filesystem_at(root.path));
    } else {
      // Two directories that stand for their filesystems may be on the same one.
      identified = false;
    }
  }
  if (identified) return;
  notes.emplace_back(
      "a filesystem has no known identity, so what was moved there counts as removed and created");
}

}  // namespace fathom::store
