// GitTrees: what git knows about entries of work trees: whether it tracks something in them,
// ignores them, or is told that they are precious.
//
// Reads .git/index and the files .gitignore of the work tree in which an entry lies, each index
// once. A line "$PATTERN" in .gitignore marks what must be kept although git ignores it.

#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fathom/base/fd.h"
#include "fathom/fs/ignore.h"

namespace fathom::act {

class GitTrees {
 public:
  GitTrees();
  ~GitTrees();
  GitTrees(const GitTrees&) = delete;
  GitTrees& operator=(const GitTrees&) = delete;

  // What applies to one entry. Outside of a work tree, nothing is tracked, ignored or precious.
  struct Answer {
    bool in_tree = false;
    bool tracks = false;      // a path in it, or it itself
    bool unreadable = false;  // the index could not be read, so that anything may be tracked
    bool ignored = false;
    std::string path;          // from the top of the work tree
    fs::IgnoreRules precious;  // by paths from the top of the work tree
  };

  // `path` is absolute and without links.
  [[nodiscard]] Answer about(const std::string& path, bool directory);

  // Whether the rules match the entry at a path, or a directory above it.
  [[nodiscard]] static bool matches(const fs::IgnoreRules& rules, const std::string& path,
                                    bool directory);

 private:
  struct WorkTree;

  [[nodiscard]] WorkTree read_tree(const std::string& top) const;
  std::shared_ptr<const WorkTree> tree_of(const std::string& folder);

  base::Fd root_;
  std::map<std::string, std::shared_ptr<const WorkTree>> trees_;  // by directory; null: none
};

}  // namespace fathom::act
