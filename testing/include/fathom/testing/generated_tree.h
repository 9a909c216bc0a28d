// A tree of directories, files and links made up from a seed: the same seed, the same tree.
//
// Sizes are mostly small with a few large, some names hold blanks, newlines or bytes that are not
// UTF-8, and directories range from empty to twice the mean. The random numbers and what is made of
// them do not depend on the standard library or the machine.
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

// What to make.
struct GeneratedTree {
  std::uint64_t seed = 1;
  std::size_t directories = 40;         // besides the root
  std::size_t files_per_directory = 5;  // on average; each directory has 0 to twice as many
  std::size_t max_depth = 8;            // of directories below the root; at least 1
  std::size_t hard_links = 0;           // further names of files made; none if there are no files
  std::size_t symlinks = 0;             // to files, to directories, and to nothing
};

// What was made, relative to the tree, in the order of making.
struct GeneratedPaths {
  std::vector<std::string> directories;  // the root, ".", comes first
  std::vector<std::string> files;
  std::vector<std::string> hard_links;
  std::vector<std::string> symlinks;
};

// Fills the tree, which should be empty. Throws base::SystemError as TempTree does.
GeneratedPaths generate(TempTree& tree, const GeneratedTree& wanted);

}  // namespace fathom::testing
