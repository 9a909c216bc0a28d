// Snapshot: an immutable view of a running or finished scan, with data derived from it.
//
// Guarantees: thread-safe, including the parts that are computed on first use. All answers from one
// snapshot are consistent with each other.
//
//   auto snapshot = std::make_shared<const Snapshot>(std::move(scan), now, 3,
//   /*of_running_scan=*/false); if (const auto place = snapshot->find("/srv/a")) ...
//   snapshot->totals().below(place->directory)

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/owners.h"
#include "fathom/fs/children.h"
#include "fathom/fs/exclusive.h"
#include "fathom/fs/freed.h"
#include "fathom/fs/largest_file.h"
#include "fathom/fs/newest.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/totals.h"
#include "fathom/fs/tree.h"
#include "fathom/store/snapshot.h"

namespace fathom::web {

// The place that a path names: a directory, a non-directory entry, or the place above several
// roots, which does not exist on a filesystem.
struct Place {
  fs::NodeId node = fs::kNoNode;     // kNoNode: above all roots
  fs::DirId directory = fs::kNoDir;  // kNoDir: not a directory, or above all roots

  [[nodiscard]] bool above_roots() const { return node == fs::kNoNode; }
  [[nodiscard]] bool is_directory() const { return above_roots() || directory != fs::kNoDir; }
  friend bool operator==(const Place&, const Place&) = default;
};

// The entries of directories by name, made when they are first looked up: for many paths in the
// same directories. Belongs to one thread and one snapshot.
class NameIndex {
 public:
  [[nodiscard]] std::optional<Place> find(const fs::Tree& tree, const fs::Children& children,
                                          fs::DirId directory, std::string_view name);

 private:
  using Names = std::unordered_map<std::string_view, Place>;
  std::unordered_map<fs::DirId, Names> directories_;
};

class Snapshot {
 public:
  // taken is when the scan was made, in seconds since the epoch. of_running_scan: it still runs,
  // and exclusive bytes are not known yet. Sums the tree, in a pass over all entries.
  Snapshot(fs::Scan scan, std::int64_t taken, std::uint64_t generation, bool of_running_scan,
           std::shared_ptr<Owners> owners = Owners::of_system());
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  [[nodiscard]] const fs::Scan& scan() const { return scan_; }
  [[nodiscard]] const fs::Tree& tree() const { return scan_.tree; }
  [[nodiscard]] const fs::Totals& totals() const { return totals_; }
  [[nodiscard]] std::int64_t taken() const { return taken_; }
  [[nodiscard]] std::uint64_t generation() const { return generation_; }
  [[nodiscard]] bool of_running_scan() const { return of_running_scan_; }
  [[nodiscard]] Owners& owners() const { return *owners_; }

  // Computed on first use.
  [[nodiscard]] const fs::Children& children() const;
  // Requires: not of_running_scan().
  [[nodiscard]] const fs::Exclusive& exclusive() const;
  // Requires: not of_running_scan().
  [[nodiscard]] const fs::Freed& freed() const;
  // Of times that a scan can have found.
  [[nodiscard]] const fs::Newest& newest() const;
  [[nodiscard]] const fs::LargestFiles& largest_files() const;
  // The scan in the form of a store, to be compared with one of its snapshots; made by `make`,
  // which may throw: then the next one is asked.
  using Stored = std::shared_ptr<const store::Snapshot>;
  [[nodiscard]] Stored as_stored(const std::function<store::Snapshot()>& make) const;

  // The place at a path; nothing if it is not in the scan. The path begins with a root as it was
  // given and continues as Tree::path() writes it. Compares bytes: "." and ".." are not
  // interpreted, and extra slashes do not match, except one after a directory. An empty path means
  // the only root or, if there are several, the place above them. If several places have the path
  // (a root may be inside another one), returns the one that is counted, or else that of the first
  // root. Takes time proportional to the number of entries in each directory on the way, or with an
  // index only once for each directory.
  [[nodiscard]] std::optional<Place> find(std::string_view path, NameIndex* names = nullptr) const;

  // The path of a place; empty above all roots.
  [[nodiscard]] std::string path(Place place) const;

  // The roots that could be read, in the order given.
  [[nodiscard]] const std::vector<Place>& roots() const { return roots_; }

 private:
  struct Derived;

  [[nodiscard]] std::optional<Place> find_as_written(std::string_view path, NameIndex* names) const;
  [[nodiscard]] std::optional<Place> find_below(Place root, std::string_view path,
                                                NameIndex* names) const;
  [[nodiscard]] std::optional<Place> find_in(fs::DirId directory, std::string_view name,
                                             NameIndex* names) const;

  const fs::Scan scan_;
  const fs::Totals totals_;
  const std::int64_t taken_;
  const std::uint64_t generation_;
  const bool of_running_scan_;
  const std::shared_ptr<Owners> owners_;
  std::vector<Place> roots_;
  const std::unique_ptr<Derived> derived_;  // each part is computed once, by the first thread
};

}  // namespace fathom::web
