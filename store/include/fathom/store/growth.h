// Growth: how large a directory, and those in it, were in each of several snapshots.
//
// Only dirs.parquet and meta.json of the snapshots are read, of these only the pages with the
// directories in question, and errors.parquet of those that are not complete.
//
//   Growth growth = measure_growth(names.size(),
//                                  [&](std::size_t i) { return store.open_snapshot(names[i]); },
//                                  {.path = "/srv", .depth = 2}, executor);

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/base/saturating.h"
#include "fathom/fs/measure.h"
#include "fathom/rt/executor.h"
#include "fathom/store/forecast.h"
#include "fathom/store/snapshot.h"

namespace fathom::store {

struct GrowthOptions {
  std::string path = {};  // an absolute path of a directory; empty: all roots
  unsigned depth = 1;     // of the deepest directories, relative to the path; 0: only itself
  fs::Measure measure = fs::Measure::disk;
  // How many directories of a snapshot there may be; more are refused.
  std::size_t most = std::numeric_limits<std::size_t>::max();
};

// There are more than GrowthOptions::most.
class TooManyDirectories : public base::Error {
 public:
  using base::Error::Error;
};

// A directory in one snapshot, with everything in it. If the snapshot lacks it because it, or a
// directory above it, could not be read, it counts as existing, with a lower bound of 0.
struct GrowthSize {
  std::uint64_t bytes = 0;  // in the measure
  std::uint64_t entries = 0;
  bool exists = false;
  bool lower_bound = false;  // something in it could not be read
};

struct GrowthDirectory {
  static constexpr std::size_t kNoParent = std::numeric_limits<std::size_t>::max();

  std::string name;                // of GrowthOptions::path and of a root: the path; bytes
  std::size_t parent = kNoParent;  // its index in Growth::directories; smaller than its own
  unsigned depth = 0;              // relative to the path
  std::vector<GrowthSize> sizes;   // by snapshot

  // From the first snapshot to the last; where it does not exist, it has size 0.
  [[nodiscard]] std::int64_t change() const {
    return base::saturating_difference(sizes.back().bytes, sizes.front().bytes);
  }
  [[nodiscard]] std::int64_t change_of_entries() const {
    return base::saturating_difference(sizes.back().entries, sizes.front().entries);
  }
};

// What identifies a snapshot; see SnapshotMeta.
struct GrowthSnapshot {
  std::string id;
  std::string tag;
  std::int64_t started_ns = 0;
  std::int64_t ended_ns = 0;
  bool complete = true;
};

struct Growth {
  std::vector<GrowthSnapshot> snapshots;  // the oldest first
  // A directory is followed by those in it, of which the one with the largest absolute change comes
  // first, and of equal ones the smallest name. Each exists in some snapshot. A root inside of
  // another one is only among the roots.
  std::vector<GrowthDirectory> directories;
  Forecast forecast;  // of the filesystem on which the path is
  // A sentence about each snapshot that cannot be read, for example because a file is damaged. It
  // is left out.
  std::vector<std::string> unreadable;
  // Roots that could be read in no snapshot, if growth is that of all roots. They are left out.
  std::vector<std::string> unread_roots;
  // The path, or the roots, that some snapshot has also reached by another path, such as that of a
  // bind mount, and counts there: its size lacks what is in it.
  std::vector<std::string> counted_elsewhere;

  [[nodiscard]] std::string path_of(std::size_t directory) const;
};

// Reads `count` snapshots of the same roots. `open` opens one, of which 0 is the oldest; threads of
// the executor call it at the same time, and few snapshots are open at the same time. If it returns
// nothing, the snapshot was removed meanwhile, and is left out.
//
// Throws NotFound if the path is a directory in none of the snapshots or if all were removed,
// TooManyDirectories, base::Error if no snapshot can be read, and what `open` throws unless that is
// another base::Error.
using OpenSnapshot = std::function<std::optional<Snapshot>(std::size_t)>;
[[nodiscard]] Growth measure_growth(std::size_t count, const OpenSnapshot& open,
                                    const GrowthOptions& options, rt::Executor& executor);

}  // namespace fathom::store
