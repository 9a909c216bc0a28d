// GeneratedTree: a tree on disk for a benchmark, the same on every run and machine.
//
// Files have different sizes but no data: a scanner never reads their contents.
//
//   const GeneratedTree tree(folder.path() + "/flat", flat(100, 100));
//   scan(tree.path()).entries == tree.entries();

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fathom::bench {

// A directory to create, and its number of files.
struct Folder {
  std::string path;  // relative to the root of the tree
  std::size_t files;
};

// Parents come before their contents.
using Shape = std::vector<Folder>;

// The shapes of the Phanes benchmarks. All files of a tree are in its deepest directories.
Shape flat(std::size_t folders, std::size_t files_each);
Shape nested(std::size_t outer, std::size_t inner_each, std::size_t files_each);
Shape skewed(std::size_t heavy_files, std::size_t light_folders, std::size_t light_files_each);

class GeneratedTree {
 public:
  // Creates the tree at a path that must not exist; the caller removes it. Throws base::SystemError
  // on failure.
  GeneratedTree(std::string path, const Shape& shape);

  [[nodiscard]] const std::string& path() const { return path_; }

  // What a scan of path() must find, including the root.
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
