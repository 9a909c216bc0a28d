// Inside: what is in an entry, from the scan.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/fs/children.h"
#include "fathom/fs/scan.h"

namespace fathom::act {

struct Inside {
  std::vector<std::string_view> names;   // of everything in it, at any depth
  std::vector<fs::NodeId> ignore_files;  // named .gitignore
  bool other_owner = false;              // it, or something in it, belongs to another user
  bool incomplete = false;               // something could not be read, or was excluded
  bool other_device = false;             // something is on another filesystem than it
  std::optional<std::string> never;      // "contains a git directory (a/.git)"
};

// Of a directory, or of another entry (`directory` is kNoDir).
[[nodiscard]] Inside look_inside(const fs::Tree& tree, const fs::Children& children,
                                 fs::NodeId node, fs::DirId directory, std::uint32_t uid);

}  // namespace fathom::act
