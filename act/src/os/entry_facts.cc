// EntryFacts: fstatat, and statx for the attributes where the system has it.

#include "os/entry_facts.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "fathom/base/retry.h"
#include "fathom/base/statx.h"

namespace fathom::act {

namespace {

int stat_at(int folder, const char* name, struct stat& seen) {
  return base::retry_errno([&] { return ::fstatat(folder, name, &seen, AT_SYMLINK_NOFOLLOW); });
}

void add_attributes([[maybe_unused]] const Location& location, [[maybe_unused]] EntryFacts& facts) {
#ifdef STATX_ATTR_IMMUTABLE
  struct statx seen = {};
  constexpr int kFlags = AT_SYMLINK_NOFOLLOW | AT_STATX_DONT_SYNC;
  if (::statx(location.folder.get(), location.name.c_str(), kFlags, STATX_TYPE, &seen) != 0) return;
  facts.immutable = (seen.stx_attributes & STATX_ATTR_IMMUTABLE) != 0;
  facts.append_only = (seen.stx_attributes & STATX_ATTR_APPEND) != 0;
#endif
}

}  // namespace

int facts_at(const Location& location, EntryFacts& facts) {
  struct stat seen = {};
  const int result = stat_at(location.folder.get(), location.name.c_str(), seen);
  if (result < 0) return result;
  facts.mode = static_cast<std::uint16_t>(seen.st_mode);
  facts.kind = fs::Entry{.mode = facts.mode}.kind();
  facts.device = static_cast<std::uint64_t>(seen.st_dev);
  facts.inode = seen.st_ino;
  facts.size = static_cast<std::uint64_t>(seen.st_size);
  facts.blocks = static_cast<std::uint64_t>(seen.st_blocks);
  facts.uid = seen.st_uid;
  facts.atime = seen.st_atime;
  facts.mtime = seen.st_mtime;
  facts.ctime = seen.st_ctime;
  add_attributes(location, facts);
  return 0;
}

bool has_name(int folder, const char* name) {
  struct stat seen = {};
  return stat_at(folder, name, seen) == 0;
}

}  // namespace fathom::act
