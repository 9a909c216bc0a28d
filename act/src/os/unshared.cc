// unshared_bytes: asks for the extents of a file with FIEMAP.

#include "os/unshared.h"

#ifdef __linux__
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <memory>

#include "fathom/base/fd.h"
#include "fathom/fs/tree.h"
#include "os/safe_open.h"

namespace fathom::act {

namespace {

#ifdef FS_IOC_FIEMAP

constexpr unsigned kExtents = 256;

// Asks for the extents from `begin` on; false: the filesystem does not report them.
bool next_extents(int file, std::uint64_t begin, struct fiemap& map) {
  map.fm_flags = 0;
  map.fm_mapped_extents = 0;
  map.fm_reserved = 0;
  map.fm_start = begin;
  map.fm_length = std::numeric_limits<std::uint64_t>::max() - begin;
  map.fm_extent_count = kExtents;
  return ::ioctl(file, FS_IOC_FIEMAP, &map) == 0;
}

std::uint64_t shared_bytes(int file) {
  constexpr std::size_t kBytes = sizeof(struct fiemap) + kExtents * sizeof(struct fiemap_extent);
  const std::unique_ptr<std::byte[]> room(new std::byte[kBytes]);
  auto& map = *reinterpret_cast<struct fiemap*>(room.get());
  std::uint64_t shared = 0;
  for (std::uint64_t begin = 0; next_extents(file, begin, map) && map.fm_mapped_extents > 0;) {
    for (unsigned i = 0; i < map.fm_mapped_extents; ++i) {
      const struct fiemap_extent& extent = map.fm_extents[i];
      if ((extent.fe_flags & FIEMAP_EXTENT_SHARED) != 0) shared += extent.fe_length;
      if ((extent.fe_flags & FIEMAP_EXTENT_LAST) != 0) return shared;
      begin = extent.fe_logical + extent.fe_length;
    }
  }
  return shared;
}

#else

std::uint64_t shared_bytes(int) {
  return 0;
}

#endif

}  // namespace

std::uint64_t unshared_bytes(int file, const FileState& state) {
  const std::uint64_t all = state.blocks * fs::kBlockBytes;
  return all - std::min(all, shared_bytes(file));
}

std::uint64_t unshared_bytes_at(int folder, const char* name, const FileState& state) {
  if (!S_ISREG(state.mode) || state.blocks == 0) return state.blocks * fs::kBlockBytes;
  Location location{{}, name};
  base::Fd file;
  if (duplicate(folder, location.folder) < 0 || open_regular(location, file) < 0) return 0;
  return unshared_bytes(file.get(), state);
}

bool may_share_extents([[maybe_unused]] int file) {
#ifdef __linux__
  constexpr std::uint32_t kBcachefs = 0xca451a4e;
  constexpr std::uint32_t kOcfs2 = 0x7461636f;
  struct statfs filesystem = {};
  if (::fstatfs(file, &filesystem) != 0) return false;
  const auto type = static_cast<std::uint32_t>(filesystem.f_type);
  return type == BTRFS_SUPER_MAGIC || type == XFS_SUPER_MAGIC || type == kBcachefs ||
         type == kOcfs2;
#else
  return false;
#endif
}

}  // namespace fathom::act
