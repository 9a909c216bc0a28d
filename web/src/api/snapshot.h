// Snapshot: one generation of what a scan has found, with what answers need that is derived from
// it.
//
// Guarantees: immutable, so that any number of threads may read it, each part that is made late
// included. Every answer from one snapshot fits every other one.
//
//   auto snapshot = std::make_shared<const Snapshot>(std::move(scan), now, 3,
//   /*of_running_scan=*/false); if (const auto place = snapshot->find("/srv/a")) ...
//   snapshot->totals().below(place->directory)

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/owners.h"
#include "fathom/fs/children.h"
#include "fathom/fs/exclusive.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/totals.h"
#include "fathom/fs/tree.h"

namespace fathom::web {

// What a path of a question leads to: a directory, an entry that is none, or the place above
// several roots, which no filesystem knows.
struct Place {
  fs::NodeId node = fs::kNoNode;     // kNoNode: above all roots
  fs::DirId directory = fs::kNoDir;  // of a directory

  [[nodiscard]] bool above_roots() const { return node == fs::kNoNode; }
  [[nodiscard]] bool is_directory() const { return above_roots() || directory != fs::kNoDir; }
  friend bool operator==(const Place&, const Place&) = default;
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

  // Made when somebody asks first, then shared.
  [[nodiscard]] const fs::Children& children() const;
  // Requires: not of_running_scan().
  [[nodiscard]] const fs::Exclusive& exclusive() const;

  // What is at a path, which begins with a root as it was given and goes on as Tree::path() writes
  // it; nothing if it was not found. Bytes are compared: there is no "." or "..", and no slash
  // too many, but for one behind a directory. Empty: the only root or, where there are several, the
  // place above. Of several with one path (a root may lie in another) the one that is counted; else
  // that of the first root. Takes a step for each name of a directory on the way.
  [[nodiscard]] std::optional<Place> find(std::string_view path) const;

  // The path that leads to a place; empty above all roots.
  [[nodiscard]] std::string path(Place place) const;

  // The roots of which something is known, in their order.
  [[nodiscard]] const std::vector<Place>& roots() const { return roots_; }

 private:
  struct Derived;

  [[nodiscard]] std::optional<Place> find_as_written(std::string_view path) const;
  [[nodiscard]] std::optional<Place> find_below(Place root, std::string_view path) const;
  [[nodiscard]] std::optional<Place> find_in(fs::DirId directory, std::string_view name) const;

  const fs::Scan scan_;
  const fs::Totals totals_;
  const std::int64_t taken_;
  const std::uint64_t generation_;
  const bool of_running_scan_;
  const std::shared_ptr<Owners> owners_;
  std::vector<Place> roots_;
  const std::unique_ptr<Derived> derived_;  // each part is made once, by whichever thread is first
};

}  // namespace fathom::web
