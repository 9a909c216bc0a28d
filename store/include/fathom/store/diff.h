// diff: what changed between two snapshots, exactly.
//
// Entries are compared by path. The change of the total is split into a balance without a rest:
//
//   total = created + grown - removed - shrunk + moved_in - moved_out + reattributed
//
// which is the difference of what du reports. What was moved counts in the directories of which it
// crossed the border, so not in one that contains both places. A hard link whose bytes are counted
// at another path now, because the smallest path of its inode came or went, is reattributed; that
// sums to zero over a whole snapshot. What was removed in one place and created in another with the
// same filesystem, inode number and time of creation is a move; a moved directory is one move, and
// is compared inside. Where one of the three is unknown, there are no moves.
//
//   Diff diff = compare(Snapshot::open(before), Snapshot::open(after), {}, executor);

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "fathom/base/saturating.h"
#include "fathom/fs/measure.h"
#include "fathom/fs/tree.h"
#include "fathom/rt/cancel.h"
#include "fathom/rt/executor.h"
#include "fathom/store/snapshot.h"

namespace fathom::store {

// In bytes. Sums that exceed their types saturate; then the balance is not exact.
struct Balance {
  std::uint64_t created = 0;
  std::uint64_t grown = 0;
  std::uint64_t removed = 0;
  std::uint64_t shrunk = 0;
  std::uint64_t moved_in = 0;
  std::uint64_t moved_out = 0;
  std::int64_t reattributed = 0;

  [[nodiscard]] std::int64_t total() const;
  void add(const Balance& other);
  bool operator==(const Balance&) const = default;
};

struct DiffOptions {
  fs::Measure measure = fs::Measure::disk;
  std::string path = {};      // an absolute path: only this directory and what is below; empty: all
  std::size_t most = 1000;    // how many items each list has at most
  bool by_owner = false;      // whether to sum by owner and group; reads two columns more
  bool by_extension = false;  // whether to sum by extension
  rt::CancelToken cancel = {};
};

// A directory in which something changed, and how much. A path may be that of two of them: what was
// there before, and what is there now.
struct DiffDirectory {
  enum class State : std::uint8_t { kept, created, removed, moved_here, moved_away };

  static constexpr std::size_t kNoParent = std::numeric_limits<std::size_t>::max();

  std::string name;                // of a root and of DiffOptions::path: the path; bytes
  std::size_t parent = kNoParent;  // its index in Diff::directories; smaller than its own
  State state = State::kept;
  std::uint64_t before = 0;  // the size with everything below; 0 if it did not exist
  std::uint64_t after = 0;   // the same; 0 if it does not exist
  Balance balance = {};      // of everything below; its total is after - before

  [[nodiscard]] std::int64_t change() const { return base::saturating_difference(after, before); }
};

// An entry that changed; of a created or removed directory, everything in it that is neither a move
// nor in a directory that was moved. No byte has two items.
struct DiffItem {
  std::string path;       // now, or if it was removed, before; bytes
  std::string from = {};  // of a move: the path before
  fs::Kind kind = fs::Kind::file;
  std::uint64_t before = 0;
  std::uint64_t after = 0;

  [[nodiscard]] std::int64_t change() const { return base::saturating_difference(after, before); }
};

// The largest of a kind, and how many there are.
struct DiffList {
  std::vector<DiffItem>
      items;  // the largest change first (of moves: the largest size), then by path
  std::uint64_t count = 0;
  std::uint64_t too_long = 0;  // left out, because a path is longer than fs::kLongestPath
};

// The changes of one owner, group or extension; all changes together are those of the total.
struct DiffGroup {
  std::uint32_t id = 0;     // of an owner or group; fs::kUnknownOwner: unknown
  std::string name = {};    // of an owner or group, if it is known; an extension; bytes
  std::uint64_t added = 0;  // bytes that this group has gained
  std::uint64_t taken = 0;  // bytes that it has lost

  [[nodiscard]] std::int64_t change() const { return base::saturating_difference(added, taken); }
};

struct Diff {
  std::uint64_t before = 0;  // the size of the compared roots, or of DiffOptions::path
  std::uint64_t after = 0;
  Balance balance = {};                    // its total is after - before
  std::vector<DiffDirectory> directories;  // a directory before those in it
  DiffList changed;  // files and others that are larger or smaller than before
  DiffList created;
  DiffList removed;
  DiffList moved;
  std::vector<DiffGroup> owners;  // by absolute change, the largest first; as are the next
  std::vector<DiffGroup> groups;
  std::vector<DiffGroup> extensions;
  // What makes the comparison less than it seems: sentences about different roots, options,
  // filesystems, and about what could not be read.
  std::vector<std::string> notes;

  [[nodiscard]] std::string path_of(std::size_t directory) const;
};

// Compares two snapshots. The roots that both have are compared; notes name the others. A `path`
// that is in different roots of them is compared alone: moves across its border are not known.
//
// Directories whose hashes are equal are skipped. Of the others, only the columns and pages are
// read that are needed. Memory grows with the number of directories and of changed entries.
//
// Throws NotFound if the snapshots have no root in common, unless both contain `path`; if `path` is
// a directory in neither, or not in both, or if it is in no common root and contains a root;
// base::Error if a file is damaged, or if it was cancelled.
[[nodiscard]] Diff compare(const Snapshot& before, const Snapshot& after,
                           const DiffOptions& options, rt::Executor& executor);

}  // namespace fathom::store
