// PartFolder: the parts of a scan that several processes or machines share.
//
// A part is what one shard (fathom/fs/shard.h) has found: a snapshot of the same roots, and the
// entries that it left, divided into batches, each of which is the work of another part. A part is
// added as a whole or not at all, and only once: a process that repeats the work of an existing
// part gets that part instead.
//
//   PartFolder folder = PartFolder::open_or_create("/shared/scan-1");
//   const PartWork work = *PartWork::parse("root/rest-3");
//   options.shard->from = folder.entries_of(work);
//   folder.add(work, fs::scan(options), ...);
//
//   store.add([&](int snapshot) { return folder.join({}, executor, snapshot).meta; });
//
// docs/FLEET.md describes the files. Functions throw base::Error with a sentence that names the
// folder.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/base/fd.h"
#include "fathom/fs/scan.h"
#include "fathom/rt/executor.h"
#include "fathom/store/snapshot.h"

namespace fathom::store {

class StoreOps;

// The work of a part.
struct PartWork {
  std::string parent;     // the id of the part that left it; empty: the scan begins at its roots
  std::size_t batch = 0;  // which of its batches

  // "ID/rest-3". Nothing if it is something else.
  [[nodiscard]] static std::optional<PartWork> parse(std::string_view text);
  [[nodiscard]] std::string text() const;
  // The id of the part that does it: "root", or 16 hexadecimal digits.
  [[nodiscard]] std::string id() const;
};

// What part.json says.
struct Part {
  std::string text;                    // the file: one line
  std::uint64_t errors = 0;            // what could not be read
  std::vector<std::uint64_t> batches;  // the entries in each that it left

  bool operator==(const Part&) const = default;
};

// What came of joining parts.
struct JoinedParts {
  SnapshotMeta meta;                  // of the snapshot
  std::vector<fs::ScanError> errors;  // as fs::Scan::errors
  std::vector<PartWork> missing;      // in no particular order
};

struct JoinOptions {
  std::string tag = {};
  std::string host = {};        // of the snapshot; empty: that of the first part
  bool accept_missing = false;  // their entries count as unreadable
  std::size_t group_rows = 128 * 1024;
  std::size_t most_open = 512;  // parts at a time, at least 1; each takes about 1 MB
};

// Any number of processes may add parts at the same time.
class PartFolder {
 public:
  // `before` is called before each step that changes something, so that tests can end the process.
  using Listener = std::function<void(std::string_view step)>;

  [[nodiscard]] static PartFolder open(const std::string& path);
  [[nodiscard]] static PartFolder open_or_create(const std::string& path, Listener before = {});
  PartFolder(PartFolder&&) noexcept;
  ~PartFolder();

  // The paths where the work begins, for fs::Shard::from; none at the roots. Throws base::Error if
  // there is no such batch, or if it is not as long as part.json says.
  [[nodiscard]] std::vector<std::string> entries_of(const PartWork& work) const;

  // Throws base::Error if the folder has parts of other roots or of another selection.
  void check_same_scan(const std::vector<std::string>& roots,
                       const std::vector<std::string>& selection) const;

  // The part that has done the work, if there is one.
  [[nodiscard]] std::optional<Part> find(const PartWork& work) const;

  // Adds what a scan has found, and divides what it left into at most so many batches, at least 1.
  // Returns the part: the one that was there before, if there was one. `options` is for the
  // snapshot. Throws base::SystemError if it cannot be written.
  [[nodiscard]] Part add(const PartWork& work, const fs::Scan& scan, std::size_t most_batches,
                         const SnapshotOptions& options, rt::Executor& executor);

  // Writes all parts as one snapshot into an empty directory, which is open as `folder`: to the
  // byte as write_snapshot() writes one scan of everything, except for times. Reads each part
  // twice, and more often if directories were reached by several paths. What it keeps is about 200
  // bytes per directory and per inode with several names, and their paths. Throws base::Error if a
  // part is missing or damaged, or if the parts are of different scans.
  [[nodiscard]] JoinedParts join(const JoinOptions& options, rt::Executor& executor,
                                 int folder) const;

 private:
  PartFolder(std::string path, base::Fd folder, std::unique_ptr<StoreOps> ops);
  [[nodiscard]] std::optional<Part> read(const std::string& id) const;
  [[nodiscard]] std::vector<std::string> paths_of(const PartWork& work, std::uint64_t count) const;
  struct Found;
  [[nodiscard]] Found find_all(bool accept_missing) const;
  [[nodiscard]] std::string path_of(const std::string& name) const { return path_ + '/' + name; }
  void erase(const std::string& name);

  std::string path_;  // of the directory with the parts
  base::Fd folder_;
  std::unique_ptr<StoreOps> ops_;
};

}  // namespace fathom::store
