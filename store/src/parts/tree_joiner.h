// TreeJoiner: joins snapshots of parts of a scan into one tree.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fathom/fs/scan.h"
#include "fathom/fs/tree_builder.h"
#include "fathom/rt/executor.h"
#include "snapshot/entry_columns.h"
#include "snapshot/loaded_entries.h"
#include "snapshot/snapshot_files.h"

namespace fathom::store {

// Not thread-safe.
class TreeJoiner {
 public:
  TreeJoiner(std::vector<std::string> roots, rt::Executor& executor);

  // The path of an entry that was left to another part: the directories above it may be in both.
  void share_directories_above(const std::string& path);

  // Adds a part with the same roots. A part comes after those that have left entries to it. Throws
  // base::Error if a file is damaged.
  void add(const Snapshot::Files& files);

  // An entry that no part has.
  void add_unread(const std::string& path);

  // What was added. Its roots and times are left to the caller.
  [[nodiscard]] fs::Scan finish();

  // The filesystems of the devices of the tree.
  [[nodiscard]] const FilesystemIds& filesystems() const { return filesystems_; }

 private:
  struct Directory {
    fs::DirId id = fs::kNoDir;
    std::uint64_t device = 0;  // in the tree
  };
  struct Above {
    Directory directory;
    bool shared = false;
    std::size_t path = 0;  // the length of its path
  };

  void add_entry(const LoadedEntry& loaded);
  void add_directory(const LoadedEntry& loaded, fs::Entry entry, Directory* shared);
  [[nodiscard]] Directory* find_shared(const LoadedEntry& loaded);
  void add_root(std::string_view path, fs::NodeId node);
  [[nodiscard]] std::uint64_t device_of(const LoadedEntry& loaded);
  [[nodiscard]] std::uint64_t choose_device(const LoadedEntry& loaded) const;

  const std::vector<std::string> roots_;
  rt::Executor& executor_;
  std::vector<fs::NodeId> root_nodes_;
  fs::TreeBuilder builder_{true};
  std::optional<fs::TreeBuilder::Appender> appender_;
  // By path: the directories that several parts may have. Without an id until a part has it.
  std::unordered_map<std::string, Directory> shared_;
  std::vector<fs::ScanError> errors_;
  std::uint64_t changed_ = 0;

  // Hosts number the devices of network filesystems differently. The tree has the numbers of the
  // first host, and others where these are taken.
  std::map<std::pair<std::string, std::uint64_t>, std::uint64_t> devices_;  // by host and device
  FilesystemIds filesystems_;

  // Of the part that is being added.
  std::string host_;
  std::string path_;          // of the innermost directory
  std::vector<Above> above_;  // the directories above the next entry, by depth
};

}  // namespace fathom::store
