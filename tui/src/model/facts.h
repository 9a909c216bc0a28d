// Facts: a scan, finished or running, with what every screen needs to know about it. Immutable, so
// that threads may share it; making it takes a few passes over the tree.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "fathom/fs/children.h"
#include "fathom/fs/freed.h"
#include "fathom/fs/newest.h"
#include "fathom/fs/owner_names.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/totals.h"

namespace fathom::tui {

// What can be listed: a directory's children, or everything that a search found.
struct Items {
  std::span<const fs::DirId> directories;
  std::span<const fs::NodeId> others;
  std::span<const std::uint32_t> excluded;  // indexes in Scan::excluded

  [[nodiscard]] std::size_t size() const {
    return directories.size() + others.size() + excluded.size();
  }
};

class Facts {
 public:
  // Times are relative to now, in seconds since the epoch. `names` is asked once for each id.
  Facts(fs::Scan scan, std::int64_t now, const fs::OwnerNames& names);
  Facts(const Facts&) = delete;
  Facts& operator=(const Facts&) = delete;

  [[nodiscard]] const fs::Scan& scan() const { return scan_; }
  [[nodiscard]] const fs::Tree& tree() const { return scan_.tree; }
  [[nodiscard]] const fs::Totals& totals() const { return totals_; }
  [[nodiscard]] const fs::Newest& newest() const { return newest_; }
  [[nodiscard]] std::int64_t now() const { return now_; }

  // Bytes; the number if the system does not know the user or group, "-" if it is unknown.
  [[nodiscard]] const std::string& owner(std::uint32_t uid) const { return owners_.at(uid); }
  [[nodiscard]] const std::string& group(std::uint32_t gid) const { return groups_.at(gid); }

  // The children of the directory; of kNoDir, the roots.
  [[nodiscard]] Items in(fs::DirId directory) const;

  // The only root, if it is a directory; or else kNoDir, which stands for the list of roots.
  [[nodiscard]] fs::DirId top() const { return top_; }

  // The path, with that of the root as it was given; empty for kNoDir.
  [[nodiscard]] std::string path(fs::DirId directory) const;

  // The sums of the directory; of kNoDir, of everything.
  [[nodiscard]] fs::Counts below(fs::DirId directory) const;
  // Whether more may be there: something could not be read, or the scan has not ended.
  [[nodiscard]] bool lower_bound(fs::DirId directory) const;

  // Why the entry could not be read completely; empty if it could.
  [[nodiscard]] std::string error_of(fs::NodeId node) const;

  // The number of a directory by its node; slow. kNoDir for any other node.
  [[nodiscard]] fs::DirId directory_at(fs::NodeId node) const;

 private:
  void find_roots();
  void find_owners(const fs::OwnerNames& names);
  void group_excluded();

  const fs::Scan scan_;
  const std::int64_t now_;
  const fs::Totals totals_;
  const fs::Children children_;
  const fs::Newest newest_;
  std::vector<fs::DirId> root_directories_;
  std::vector<fs::NodeId> other_roots_;
  fs::DirId top_ = fs::kNoDir;
  bool incomplete_ = false;  // something, anywhere, is a lower bound
  using Names = std::unordered_map<std::uint32_t, std::string>;
  Names owners_;
  Names groups_;
  std::vector<std::uint32_t> excluded_;  // indexes in Scan::excluded, by directory
};

}  // namespace fathom::tui
