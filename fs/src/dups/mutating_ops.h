// MutatingOps: every call of dups/ that changes something below a root or in a quarantine.
//
// None overwrites anything. Each returns 0 or -errno, and says its name to whoever listens before
// it is made.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "dups/safe_open.h"

namespace fathom::fs {

class MutatingOps {
 public:
  explicit MutatingOps(const std::function<void(std::string_view)>& before) : before_(before) {}

  // One more name for what stands at `from`.
  [[nodiscard]] int link(const Location& from, const Location& to) const;

  // Both swap what they stand for, at once. -ENOSYS: that cannot be done here.
  [[nodiscard]] int exchange(const Location& a, const Location& b) const;

  // To a name that this run alone makes, and back from there. -EEXIST: something has the name.
  [[nodiscard]] int move_aside(const Location& from, const Location& own) const;
  [[nodiscard]] int move_back(const Location& own, const Location& to) const;

  [[nodiscard]] int unlink(const Location& location) const;
  [[nodiscard]] int make_folder(const Location& location) const;
  [[nodiscard]] int remove_folder(const Location& location) const;  // an empty one

  // Writes what was said about a file or a directory to the disk.
  [[nodiscard]] int sync(int file) const;

  // Writes what a file holds, but not what says where. -ENOSYS: that cannot be asked for here.
  [[nodiscard]] int write_out(int file) const;

  // Writes the whole filesystem of a file or a directory to the disk, if it is one of which it is
  // known that this does what sync() does for each of its files.
  [[nodiscard]] int sync_whole(int file) const;
  [[nodiscard]] static bool syncs_whole(int file);

  // Lets the second file share what it has in common with the first: both open, each of `size`
  // bytes. 1: they are the same and shared now; 0: they differ; else -errno. With nothing to share
  // (size 0) it says whether it could be done, and changes nothing.
  [[nodiscard]] int share(int from, int to, std::uint64_t size) const;

  // To be called by the journal before it is written.
  void before_journal() const { before("journal"); }

 private:
  void before(std::string_view step) const {
    if (before_) before_(step);
  }

  const std::function<void(std::string_view)>& before_;
};

}  // namespace fathom::fs
