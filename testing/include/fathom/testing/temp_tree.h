// A directory of one's own, filled by a test and gone after it, however hostile its contents.
//
// Every path given is relative to the tree, of any length and of any bytes; parents are made as
// needed. Nothing here uses long paths, recursion or more than four descriptors at a time, so
// chains of tens of thousands of levels work. Every method throws base::SystemError when the system
// refuses. Not for use by several threads at once; several trees are.
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
  // Makes an empty directory, mode 0755, in $TMPDIR or else in /tmp. If TMPDIR is not set and
  // FATHOM_TEST_IN_MEMORY is, it is in /dev/shm, if that has 1 GiB free: trees on a disk take
  // several times as long.
  TempTree();
  // Removes the directory and everything in it: unreadable directories (of one's own) and deep ones
  // too. Says on stderr what could not be removed, such as a mount point.
  ~TempTree();
  TempTree(const TempTree&) = delete;
  TempTree& operator=(const TempTree&) = delete;

  // The tree's absolute path, and that of something in it.
  const std::string& path() const noexcept { return path_; }
  std::string path(std::string_view rel) const;

  // A directory, as mkdir -p makes it: no error if it is there.
  void dir(std::string_view rel);
  // A regular file, replacing one that is there: of so many bytes, none of them zero and all
  // written; with this content; or of so many bytes, none of them written.
  void file(std::string_view rel, std::size_t bytes = 0);
  void write(std::string_view rel, std::string_view content);
  void sparse(std::string_view rel, std::uint64_t size);

  // Names for something else. The target of a symbolic link need not exist.
  void symlink(std::string_view target, std::string_view rel);
  void hardlink(std::string_view existing, std::string_view rel);

  // What is neither file, directory nor link. No one listens at the socket.
  void fifo(std::string_view rel);
  void socket(std::string_view rel);

  // The permissions, and the time of last modification in seconds since the epoch, of what is
  // there; "." is the tree's root. mtime() sets a link's own time, chmod() its target's mode.
  void chmod(std::string_view rel, mode_t mode);
  void mtime(std::string_view rel, std::int64_t seconds);

  // So many directories in one another, each of that name, the first of them in rel. Their path may
  // be far longer than PATH_MAX.
  void deep_chain(std::string_view rel, std::size_t levels, std::string_view name = "d");

 private:
  std::string path_;  // absolute; the directory is there as long as this is
};

}  // namespace fathom::testing
