// NamesNow: what the names of a tree lead to now, if the tree was scanned some time ago.
//
// Nothing is remembered except for the targets of links: each call looks. What cannot be looked at
// counts as changed.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "dups/paths.h"
#include "fathom/fs/tree.h"

namespace fathom::fs {

class NamesNow {
 public:
  explicit NamesNow(const Tree& tree);

  // What the device numbers of the tree are now: they may change with each mount. Those whose
  // directory is not there any more are left out. Any thread may call this and the next two.
  [[nodiscard]] const std::map<std::uint64_t, std::uint64_t>& devices() const { return devices_; }

  // Whether the name leads to the same inode, of the same kind.
  [[nodiscard]] bool is_same(NodeId node) const;
  // Whether it was not modified either: a directory has the same names, a file the same size.
  [[nodiscard]] bool is_unmodified(NodeId node) const;

  // The target of a symbolic link, which stays valid; nothing if it is another link now.
  [[nodiscard]] std::optional<std::string_view> link_target(NodeId node);

 private:
  const Tree& tree_;
  const Paths paths_;
  std::map<std::uint64_t, std::uint64_t> devices_;
  std::unordered_map<NodeId, std::string> targets_;
};

}  // namespace fathom::fs
