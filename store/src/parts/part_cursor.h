// PartCursor: goes through the entries of a part, and knows which directories other parts have too.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fathom/rt/executor.h"
#include "fathom/store/snapshot.h"
#include "snapshot/entry_columns.h"
#include "snapshot/loaded_entries.h"

namespace fathom::store {

// A directory above an entry that a part has left: several parts may have it.
struct SharedDirectory {
  bool known = false;       // some part has it
  bool written = false;     // it is in the joined snapshot
  fs::Entry entry = {};     // as the first part has it
  std::uint8_t flags = 0;   // of all parts
  std::uint64_t below = 0;  // entries in it and deeper, in all parts
  SharedDirectory* in = nullptr;
};

// By path. Pointers to them stay valid.
class SharedDirectories {
 public:
  // Roots are shared by all parts.
  void add_root(const std::string& path) { by_path_.try_emplace(path); }
  // `path` is that of an entry that was left, as fs::Scan::rest has it.
  void add_above(const std::string& path);
  // Null if the path is not shared.
  [[nodiscard]] SharedDirectory* find(const std::string& path);
  // That in which the entry is, which was left.
  [[nodiscard]] SharedDirectory* find_above(const std::string& path);

  // Calls function(directory) for each, those that are deeper first.
  void for_each_deepest_first(const std::function<void(SharedDirectory&)>& function);

 private:
  std::unordered_map<std::string, SharedDirectory> by_path_;
};

// The devices that the parts have. Hosts may number the same network filesystem differently, and
// different ones equally, so each device has an index here.
class JoinedDevices {
 public:
  // The index of the device of an entry that this host has seen. Devices with the same filesystem
  // are the same. Throws base::Error for a new one after choose_numbers().
  [[nodiscard]] std::uint64_t index_of(const std::string& host, const LoadedEntry& entry);
  // A directory that is shared is on the same device, whatever a host calls it.
  void set(const std::string& host, std::uint64_t device, std::uint64_t index);
  // A directory of a device. The identity of a filesystem is the one that the directory with the
  // fewest names in its path has, of several that with the smallest path; see fs::filesystem_ids().
  void add_directory(const LoadedEntry& directory, const std::string& path);

  // Chooses a number for each device: that of the preferred host if it has seen the device, or else
  // that of another host, or a free one. Call it once, when all parts were read.
  void choose_numbers(const std::string& preferred_host);
  [[nodiscard]] std::uint64_t number_of(std::uint64_t index) const { return numbers_.at(index); }
  [[nodiscard]] FilesystemIds filesystems() const;

 private:
  struct Device {
    std::string filesystem;                   // that of the first entry; empty: unknown
    std::uint32_t depth = ~std::uint32_t{0};  // of the topmost directory, as the next two
    std::string path = {};
    std::string identity = {};
  };

  std::map<std::pair<std::string, std::uint64_t>, std::uint64_t> indexes_;  // by host and device
  std::vector<Device> devices_;                                             // by index
  std::vector<std::uint64_t> numbers_;  // by index, once they are chosen
};

// Entries that are not directories but have the path of a shared directory are skipped: they
// replaced it while the parts were scanned.
class PartCursor {
 public:
  // Goes to the first entry. What is passed must outlive the cursor. Functions throw base::Error,
  // with the name of the file, if it is damaged.
  PartCursor(std::function<Snapshot()> open, SharedDirectories& shared, JoinedDevices& devices,
             rt::Executor& executor);
  PartCursor(const PartCursor&) = delete;
  PartCursor& operator=(const PartCursor&) = delete;

  // Null at the end. Its device is an index in the JoinedDevices. Valid until next().
  [[nodiscard]] const LoadedEntry* entry() const { return entry_; }
  [[nodiscard]] SharedDirectory* shared() const { return shared_; }
  // The innermost shared directory that contains the entry; null for a root.
  [[nodiscard]] SharedDirectory* in() const;
  // The path of the entry, and that of the directory that contains it; empty for a root.
  [[nodiscard]] std::string path() const;
  [[nodiscard]] std::string_view folder() const;

  void next();

  // Frees the files and the memory for them until next() needs them again. The entry stays valid.
  void close();
  [[nodiscard]] bool is_open() const { return rows_ != nullptr; }

 private:
  struct Above {
    SharedDirectory* shared;     // the directory itself, or the innermost above it
    bool is_shared;              // the directory itself
    std::size_t path;            // the length of its path
    std::string last_name = {};  // of the last entry in it
  };

  void open();
  bool read();
  void check_name();
  [[noreturn]] void refuse(const char* why) const;

  const std::function<Snapshot()> open_;
  SharedDirectories& all_;
  JoinedDevices& devices_;
  rt::Executor& executor_;
  std::unique_ptr<Snapshot> part_;  // as long as it is open, as is the next
  std::unique_ptr<EntryReader> rows_;
  RowPlace place_;  // while it is not
  std::string host_;
  const LoadedEntry* entry_ = nullptr;
  LoadedEntry joined_;
  std::string name_;  // of the entry while the part is not open
  SharedDirectory* shared_ = nullptr;
  std::string path_;          // of the innermost directory above the entry
  std::vector<Above> above_;  // the directories above the entry, by depth
  std::string last_root_;
};

}  // namespace fathom::store
