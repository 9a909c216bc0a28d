// EntryFacts: what the filesystem says about an entry, and which names a directory has.
//
// Nothing is followed: an entry that is a symbolic link is described as such.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fathom/fs/tree.h"
#include "os/safe_open.h"

namespace fathom::act {

struct EntryFacts {
  fs::Kind kind = fs::Kind::other;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::uint64_t blocks = 0;
  std::uint32_t uid = 0;
  std::uint16_t mode = 0;
  std::int64_t atime = 0;  // seconds since the epoch, as are the next
  std::int64_t mtime = 0;
  std::int64_t ctime = 0;
  bool immutable = false;    // chattr +i
  bool append_only = false;  // chattr +a
};

// Returns 0 or -errno.
[[nodiscard]] int facts_at(const Location& location, EntryFacts& facts);

// Whether an open directory has a name, whatever it is; an error counts as no.
[[nodiscard]] bool has_name(int folder, const char* name);

}  // namespace fathom::act
