// File: a regular file that is open for reading.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "fathom/base/fd.h"
#include "fathom/fs/file_identity.h"

namespace fathom::fs {

// Calls return 0 or more on success and -errno on failure; they throw only std::bad_alloc.
class File {
 public:
  // Takes a path of any length. Refuses a symbolic link at its end with -ELOOP. Opening something
  // other than a regular file does not block and, if the kernel permits, leaves no trace.
  int open(const std::string& path);

  // The current identity; -EINVAL if it is not a regular file.
  int identify(FileIdentity& identity) const;

  // Reads from the offset up to the size of `into` or the end of the file; returns the number of
  // bytes.
  std::ptrdiff_t read(std::uint64_t offset, std::span<std::byte> into) const;

  // The offset of the next byte that is not in a hole, from `offset` on; the size of the file if
  // there is none. `offset` if the system cannot tell.
  [[nodiscard]] std::uint64_t data_from(std::uint64_t offset) const;

  // Drops what was read from the page cache.
  void drop_cached() const;

  [[nodiscard]] int descriptor() const { return file_.get(); }

 private:
  base::Fd file_;
};

}  // namespace fathom::fs
