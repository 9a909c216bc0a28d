// File: a regular file that is open for reading.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "fathom/fs/duplicates.h"

namespace fathom::fs {

// Calls return 0 or more on success, -errno on failure; none throws but for memory.
class File {
 public:
  File() = default;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File();

  // However long the path is. A symbolic link at its end is refused with -ELOOP; what is no regular
  // file makes nobody wait, and leaves no trace where the kernel lets us.
  int open(const std::string& path);

  // What it is now; -EINVAL if it is no regular file.
  int identify(FileIdentity& identity) const;

  // As many bytes as there are from the offset on, at most those of `into`: how many.
  std::ptrdiff_t read(std::uint64_t offset, std::span<std::byte> into) const;

  // What was read of it need not stay in memory.
  void drop_cached() const;

  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

}  // namespace fathom::fs
