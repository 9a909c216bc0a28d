// NcduItem: what an export says about one entry.
//
//   NcduItem item;  // for all entries: it keeps the memory of strings
//   input.expect('{');
//   item.read(input, false);

#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>

#include "fathom/fs/selection.h"
#include "fathom/fs/tree.h"
#include "format/json_input.h"

namespace fathom::fs {

struct NcduItem {
  std::string name;
  std::string excluded;   // the reason, if it is; then only the name is known
  std::string operation;  // the failed one
  std::optional<std::string> target;
  std::optional<bool> target_exists;
  std::optional<std::uint64_t> device;
  std::optional<std::uint64_t> inode;
  std::uint64_t size = 0;
  std::uint64_t disk_bytes = 0;
  std::int64_t mtime = kUnknownTime;
  std::uint32_t uid = kUnknownOwner;
  std::uint32_t gid = kUnknownOwner;
  std::uint32_t links = 1;
  std::uint16_t mode = 0;  // 0: unknown
  int error = 0;
  bool read_error = false;
  bool is_irregular = false;
  bool is_hard_link = false;
  bool filtered_out = false;  // in our own exports, as is the next
  bool has_omitted_children = false;
  bool has_totals = false;  // gdu: the sizes include everything in the directory

  // Reads the rest of an object whose '{' has been read; forgets the item before. Refuses names
  // that no entry can have; that of the root is a path.
  void read(JsonInput& input, bool is_root);

  [[nodiscard]] bool is_directory() const { return (mode & S_IFMT) == S_IFDIR; }
  [[nodiscard]] Excluded why_excluded() const;  // an unknown reason counts as a pattern
  [[nodiscard]] LinkEnd link_end() const;

  // The one that failed, if it is one that a scan has.
  [[nodiscard]] const char* operation_or(const char* otherwise) const;

  // What a tree stores. An item without a device is on that of its parent.
  [[nodiscard]] Entry directory_entry(std::uint64_t inode_number,
                                      std::uint64_t parent_device) const;
  [[nodiscard]] Entry other_entry(std::uint64_t parent_device) const;
};

}  // namespace fathom::fs
