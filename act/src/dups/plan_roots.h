// PlanRoots: the directories to which the paths of a plan are relative, from the roots of a scan.
//
// They are in the scan's order. A root that is a file counts as a name in its directory.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fathom/fs/tree.h"

namespace fathom::act {

class PlanRoots {
 public:
  // The tree must outlive it. `roots` are the absolute paths of its roots; throws base::Error if
  // their number or form is wrong.
  PlanRoots(const fs::Tree& tree, std::vector<std::string> roots);

  [[nodiscard]] const std::vector<std::string>& paths() const { return paths_; }

  // The root of an entry, and its path below the root.
  [[nodiscard]] std::pair<std::uint32_t, std::string> place_of(fs::NodeId node) const;

  // The argument of the scan below which an entry was found.
  [[nodiscard]] std::size_t argument_of(fs::NodeId node) const { return tree_.root_index(node); }

 private:
  const fs::Tree& tree_;
  std::vector<std::string> paths_;       // one for each root of the scan
  std::vector<std::string> file_names_;  // for a root that is a file: its own name
};

}  // namespace fathom::act
