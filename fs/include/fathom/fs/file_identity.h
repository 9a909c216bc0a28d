// FileIdentity: a file, and one state of it.

#pragma once

#include <cstdint>

namespace fathom::fs {

struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;     // bytes
  std::int64_t mtime_ns = 0;  // nanoseconds since the epoch, as is the next
  std::int64_t ctime_ns = 0;  // no program can set it
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

}  // namespace fathom::fs
