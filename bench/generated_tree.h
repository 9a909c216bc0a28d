// GeneratedTree: a tree on disk for a benchmark, the same on every run and machine.
//
// Files have sizes, different ones, but nothing written in them: a scanner never looks inside.
//
//   const GeneratedTree tree(folder.path() + "/flat", flat(100, 100));
//   scan(tree.path()).entries == tree.entries();

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fathom::bench {

// A directory to make, and how many files in it.
struct Folder {
  std::string path;  // relative to the root of the tree
  std::size_t files;
};

// Parents come before what is in them.
using Shape = std::vector<Folder>;

// The shapes of the Phanes benchmarks. All of a tree's files lie in its deepest directories.
Shape flat(std::size_t folders, std::size_t files_each);
Shape nested(std::size_t outer, std::size_t inner_each, std::size_t files_each);
Shape skewed(std::size_t heavy_files, std::size_t light_folders, std::size_t light_files_each);

class GeneratedTree {
 public:
  // Makes the tree at a path where nothing is yet, and leaves its removal to the caller. Throws
  // base::SystemError when it cannot.
  GeneratedTree(std::string path, const Shape& shape);

  [[nodiscard]] const std::string& path() const { return path_; }

  // What a scan of path() must find, the root included.
  [[nodiscard]] std::uint64_t entries() const { return entries_; }
  [[nodiscard]] std::uint64_t apparent_bytes() const { return apparent_bytes_; }

 private:
  void make(const Folder& folder);
  void make_file(const std::string& directory);
  void count_directory(const std::string& path);

  const std::string path_;
  std::uint64_t files_ = 0;
  std::uint64_t entries_ = 0;
  std::uint64_t apparent_bytes_ = 0;
};

}  // namespace fathom::bench
