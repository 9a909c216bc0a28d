// PlanRoots: the directories that a plan's paths stand below, made of the roots of a scan.
//
// They are in the scan's order. A root that is itself a file counts as a name in its directory.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fathom/fs/tree.h"

namespace fathom::fs {

class PlanRoots {
 public:
  // The tree must outlive it. `roots` are the absolute paths of its roots; throws base::Error if
  // they cannot be.
  PlanRoots(const Tree& tree, std::vector<std::string> roots);

  [[nodiscard]] const std::vector<std::string>& paths() const { return paths_; }

  // The root of an entry, and the path below it.
  [[nodiscard]] std::pair<std::uint32_t, std::string> place_of(NodeId node) const;

  // The argument of the scan that an entry was found below.
  [[nodiscard]] std::size_t argument_of(NodeId node) const { return tree_.root_index(node); }

 private:
  const Tree& tree_;
  std::vector<std::string> paths_;       // one for each root of the scan
  std::vector<std::string> file_names_;  // of a root that is a file: its own name
};

}  // namespace fathom::fs
