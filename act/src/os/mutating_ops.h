// MutatingOps: every operation that changes something below a root, in a quarantine or in the
// trash.
//
// None overwrites anything, apart from replace() and the moment in move_back(). Each returns 0 or
// -errno, and passes its name to a listener before it runs.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "os/safe_open.h"

namespace fathom::act {

class MutatingOps {
 public:
  explicit MutatingOps(const std::function<void(std::string_view)>& before) : before_(before) {}

  // Creates another name for the file at `from`.
  [[nodiscard]] int link(const Location& from, const Location& to) const;

  // Exchanges two names atomically. -ENOSYS: not supported here.
  [[nodiscard]] int exchange(const Location& a, const Location& b) const;

  // Moves a file to a name that only this run creates, and back. -EEXIST: the name exists. Where
  // the system can neither refuse to replace a name nor link(), this is checked before the move.
  [[nodiscard]] int move_aside(const Location& from, const Location& own) const;
  [[nodiscard]] int move_back(const Location& own, const Location& to) const;

  [[nodiscard]] int unlink(const Location& location) const;
  [[nodiscard]] int make_folder(const Location& location) const;
  // Creates a file with this text, and syncs it. After an error, there is none.
  [[nodiscard]] int make_file(const Location& location, std::string_view text) const;
  // Moves a file to a name in the same directory that another file may have, which is lost.
  [[nodiscard]] int replace(const Location& from, const Location& to) const;
  [[nodiscard]] int remove_folder(const Location& location) const;  // an empty one
  // The same in an open directory, without a Location for each of many names.
  [[nodiscard]] int unlink_below(int folder, const char* name) const;
  [[nodiscard]] int remove_folder_below(int folder, const char* name) const;

  // Syncs everything written to a file or a directory to the disk.
  [[nodiscard]] int sync(int file) const;

  // Writes the content of a file to the disk, but not its metadata. -ENOSYS: not supported here.
  [[nodiscard]] int write_out(int file) const;

  // Syncs the whole filesystem of a file or a directory, if it is a filesystem for which this is
  // known to have the effect of sync() for each of its files.
  [[nodiscard]] int sync_whole(int file) const;
  [[nodiscard]] static bool syncs_whole(int file);

  // Makes the second file share the equal blocks of the first: both open, each of `size` bytes. 1:
  // they are equal and shared now; 0: they differ; else -errno. With size 0 it only tests whether
  // sharing is supported.
  [[nodiscard]] int share(int from, int to, std::uint64_t size) const;

  // The journal calls this before it is written.
  void before_journal() const { before("journal"); }

 private:
  void before(std::string_view step) const {
    if (before_) before_(step);
  }

  const std::function<void(std::string_view)>& before_;
};

}  // namespace fathom::act
