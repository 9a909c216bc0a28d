// Store: a directory in which snapshots are kept.
//
// Nothing in it is ever modified: a snapshot is added as a whole, or removed as a whole, and what
// searches for duplicates have learned is in one file, which is replaced as a whole. A process
// that is killed at any moment leaves a complete snapshot or none; what it leaves besides is
// removed by the next one. Any number of processes may read, add and remove at the same time: who
// has a snapshot open may read it to the end, even if it is removed meanwhile.
//
//   Store store = Store::open_or_create("/var/lib/fathom/snapshots");
//   store.add([&](int folder) { return write_snapshot(scan, options, executor, folder); });
//
//   StoreContents all = Store::open("/var/lib/fathom/snapshots").list();
//
// Functions throw base::Error, with a sentence that names the store or the snapshot.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/base/fd.h"
#include "fathom/fs/compared_files.h"
#include "fathom/store/snapshot.h"

namespace fathom::store {

struct StoredSnapshot {
  std::string name;  // of its directory: "20261123T060000Z-91ab3c0d"
  SnapshotMeta meta;

  [[nodiscard]] std::uint64_t bytes() const;  // of its Parquet files
};

// A directory that has the name of a snapshot, but cannot be read.
struct UnreadableSnapshot {
  std::string name;
  std::string why;  // "meta.json is damaged: ..."
};

struct StoreContents {
  std::vector<StoredSnapshot> snapshots;       // the oldest first, by the end of their scans
  std::vector<UnreadableSnapshot> unreadable;  // by name
};

// The store has the snapshot that was to be added.
class AlreadyKept : public base::Error {
 public:
  using base::Error::Error;
};

// What killed processes have left.
struct LeftOvers {
  std::vector<std::string> names;
  std::uint64_t bytes = 0;  // on the disk
  bool writing = false;     // another process adds a snapshot: what it writes stays
};

class StoreOps;

class Store {
 public:
  // Called with the name of each step that changes something, before it.
  using Listener = std::function<void(std::string_view step)>;

  // Opens a store for reading and removing. Throws base::SystemError with ENOENT if there is no
  // such directory.
  [[nodiscard]] static Store open(const std::string& path, Listener before = nullptr);

  // Opens or creates a store to add to it. An empty directory becomes one. Only the user who owns a
  // store may add to it.
  [[nodiscard]] static Store open_or_create(const std::string& path, Listener before = nullptr);

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string path_of(std::string_view name) const;

  // Reads meta.json of each snapshot, and nothing else; not of those that an earlier list has,
  // because nothing is ever modified.
  [[nodiscard]] StoreContents list(const StoreContents& earlier = {}) const;

  // Opens a snapshot for reading. Nothing if it was removed; throws base::Error if it is damaged.
  [[nodiscard]] std::optional<Snapshot> open_snapshot(const std::string& name) const;

  // Adds what `write` writes into the empty directory that is open as `folder`: all files, synced
  // to the disk, including meta.json, whose content it returns. When add() returns, a power failure
  // cannot remove it. Throws what `write` throws, and AlreadyKept if the store has that snapshot;
  // nothing is added then. Waits while another process determines what is left over, and removes
  // that itself first, as far as possible.
  using Write = std::function<SnapshotMeta(int folder)>;
  StoredSnapshot add(const Write& write);

  // Removes a snapshot. Not an error if another process has done so.
  void remove(const std::string& name);

  // What searches for duplicates have learned; nothing if there is no such file. Throws base::Error
  // if it cannot be read, or is anything else.
  [[nodiscard]] fs::ComparedFiles compared_files() const;

  // Adds what a search has learned, and forgets what is old (ComparedFiles::take()). What is there
  // counts as nothing if it cannot be read. Waits while another process does this.
  void add_compared_files(fs::ComparedFiles learned, std::uint16_t today);

  // Removes what killed processes have left, and says what it was. If something of it cannot be
  // removed, throws base::Error, but removes the others.
  LeftOvers collect();

 private:
  Store(std::string path, base::Fd folder, std::unique_ptr<StoreOps> ops);

  [[nodiscard]] bool has_mark() const;
  [[nodiscard]] bool has_name(const std::string& name) const;
  void create_mark();
  void collect_if_possible();
  void replace_file(const std::string& name, std::string_view text);

  std::string path_;
  base::Fd folder_;
  std::unique_ptr<StoreOps> ops_;
};

}  // namespace fathom::store
