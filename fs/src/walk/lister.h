// Lister: reads the names in open directories and the metadata of their entries, and adds these to
// the tree.
//
// If the budget of a shard is spent, names are read, but their entries are left to other shards.
//
// Subdirectories become work items, and so do blocks of names of a huge directory when another
// worker is idle.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "fathom/fs/scan.h"
#include "os/os.h"
#include "walk/borders.h"
#include "walk/directory.h"
#include "walk/worker.h"

namespace fathom::fs {

// Thread-safe: the methods change only the directory and the worker.
class Lister {
 public:
  // Everything must outlive the lister.
  Lister(const ScanOptions& options, const Borders& borders, WorkEngine& engine)
      : options_(options), borders_(borders), engine_(engine) {}

  // Reads all names, or looks at what is pending, and then ends the listing's use of the
  // descriptor.
  void list(Directory& directory, Worker& worker) const;

  // Reads the metadata of the entries with these names.
  void look_at(Directory& directory, const os::NameBlock& names, Worker& worker) const;

 private:
  // A name in a directory that is being listed.
  struct Name {
    const char* name;
    std::uint8_t type;      // DT_DIR and so on, or DT_UNKNOWN
    std::uint64_t inode{};  // 0: not to be looked up in the volume
  };
  class Asking;

  void list_volume(Directory& directory, Worker& worker) const;
  void look_at_pending(Directory& directory, const Pending& pending, Worker& worker) const;
  void look_at_block(Directory& directory, Worker& worker) const;
  int read_names(const Directory& directory, Worker& worker) const;
  bool share(Directory& directory, Worker& worker) const;
  void look_at(Directory& directory, const Name& name, Asking& asking, Worker& worker) const;
  std::optional<int> find(Directory& directory, const Name& name, Asking& asking, Entry& entry,
                          std::uint64_t& mount, Worker& worker) const;
  bool excludes(DirId in, std::string_view name, bool directory, Worker& worker) const;
  bool picks(std::string_view name, bool directory, Worker& worker) const;
  void add_directory(Directory& in, const Name& name, Asking& asking, Worker& worker) const;
  void spawn_subdirectories(Worker& worker) const;
  void spawn_pending(Directory& in, const std::string& name, const Pending& pending,
                     Worker& worker) const;

  const ScanOptions& options_;
  const Borders& borders_;
  WorkEngine& engine_;
};

}  // namespace fathom::fs
