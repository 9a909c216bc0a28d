// TempTree: a temporary directory that a test fills; the destructor removes it, whatever it
// contains.
//
// All paths are relative to the tree, of any length and any bytes; parents are created as needed.
// No method uses long paths, recursion or more than four descriptors at a time, so chains of tens
// of thousands of levels work. Every method throws base::SystemError if the system refuses. A tree
// must not be used by several threads at the same time; different trees may.
//
//   TempTree tree;
//   tree.file("a/b/three", 3);
//   tree.hardlink("a/b/three", "again");
//   tree.chmod("a", 0);
//   scan(tree.path());

#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fathom::testing {

class TempTree {
 public:
  // Creates an empty directory with mode 0755 in $TMPDIR, or in /tmp if that is not set.
  TempTree();
  // Removes the directory and everything in it, including unreadable directories (of the same user)
  // and deep ones. Prints to stderr what could not be removed, such as a mount point.
  ~TempTree();
  TempTree(const TempTree&) = delete;
  TempTree& operator=(const TempTree&) = delete;

  // The absolute path of the tree, and of something in it.
  const std::string& path() const noexcept { return path_; }
  std::string path(std::string_view rel) const;

  // Creates a directory like mkdir -p: it is not an error if it exists.
  void dir(std::string_view rel);
  // Creates or replaces a regular file: file() with so many bytes, all written and none zero;
  // write() with this content; sparse() with so many bytes, none written.
  void file(std::string_view rel, std::size_t bytes = 0);
  void write(std::string_view rel, std::string_view content);
  void sparse(std::string_view rel, std::uint64_t size);

  // Creates links. The target of a symbolic link need not exist.
  void symlink(std::string_view target, std::string_view rel);
  void hardlink(std::string_view existing, std::string_view rel);

  // Creates special files. Nothing listens on the socket.
  void fifo(std::string_view rel);
  void socket(std::string_view rel);

  // Sets the permissions, or the modification time in seconds since the epoch, of an existing file;
  // "." is the root of the tree. mtime() sets a symbolic link's own time, chmod() the mode of its
  // target.
  void chmod(std::string_view rel, mode_t mode);
  void mtime(std::string_view rel, std::int64_t seconds);

  // Creates `levels` nested directories, each called `name`, the first of them in `rel`. Their path
  // may be much longer than PATH_MAX.
  void deep_chain(std::string_view rel, std::size_t levels, std::string_view name = "d");

 private:
  std::string path_;  // absolute; the directory exists as long as this object
};

}  // namespace fathom::testing
