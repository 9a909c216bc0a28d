// GeneratedTree: a pseudo-random tree of directories, files and links; the same seed gives the same
// tree.
//
// Most sizes are small and a few large; some names contain blanks, newlines or invalid UTF-8; the
// number of files per directory ranges from zero to twice the mean. The generator does not depend
// on the standard library's distributions or on the machine.
//
//   TempTree tree;
//   const GeneratedPaths made = generate(tree, {.seed = 7, .directories = 50, .hard_links = 20});

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fathom/testing/temp_tree.h"

namespace fathom::testing {

// The parameters of a tree.
struct GeneratedTree {
  std::uint64_t seed = 1;
  std::size_t directories = 40;         // excluding the root
  std::size_t files_per_directory = 5;  // on average; each directory has 0 to twice as many
  std::size_t max_depth = 8;            // of directories below the root; at least 1
  std::size_t hard_links = 0;           // further names of generated files; none without files
  std::size_t symlinks = 0;             // to files, to directories, and dangling
};

// The generated paths, relative to the tree, in the order of creation.
struct GeneratedPaths {
  std::vector<std::string> directories;  // the root, ".", comes first
  std::vector<std::string> files;
  std::vector<std::string> hard_links;
  std::vector<std::string> symlinks;
};

// Fills the tree, which should be empty. Throws base::SystemError, like TempTree.
GeneratedPaths generate(TempTree& tree, const GeneratedTree& wanted);

}  // namespace fathom::testing
