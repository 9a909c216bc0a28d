// statx: what the kernel tells about a file, and the header of the C library may have no name for:
// that of musl describes Linux 4.11.

#pragma once

#ifdef __linux__
#include <sys/stat.h>

#include <cstdint>
#include <cstring>

#ifndef STATX_MNT_ID
#define STATX_MNT_ID 0x1000U
#endif
#ifndef STATX_ATTR_IMMUTABLE
#define STATX_ATTR_IMMUTABLE 0x10
#endif
#ifndef STATX_ATTR_APPEND
#define STATX_ATTR_APPEND 0x20
#endif
#ifndef STATX_ATTR_MOUNT_ROOT
#define STATX_ATTR_MOUNT_ROOT 0x2000
#endif

namespace fathom::base {

// The id of the mount, at its place in the kernel's structure. Only if STATX_MNT_ID is in stx_mask.
inline std::uint64_t mount_id(const struct statx& found) noexcept {
  constexpr std::size_t kOffset = 144;
  static_assert(sizeof found >= kOffset + sizeof(std::uint64_t));
  std::uint64_t id = 0;
  std::memcpy(&id, reinterpret_cast<const char*>(&found) + kOffset, sizeof id);
  return id;
}

}  // namespace fathom::base
#endif
