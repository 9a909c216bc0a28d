// What the walker asks of the kernel. Implemented by os_linux.cc and os_posix.cc; CMake chooses
// one.
//
// Every function returns 0 or more on success and -errno on failure; none throws, and EINTR is
// never returned. Names are relative to an open directory, so no path is ever too long.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fathom/fs/tree.h"

namespace fathom::fs::os {

inline constexpr int kCurrentDirectory =
    -100;  // AT_FDCWD: names are relative to the working directory, or absolute

// Opens a directory for listing. A symbolic link is refused with -ELOOP or -ENOTDIR, anything else
// that is no directory with -ENOTDIR. The result is closed by close_directory().
int open_directory(int at, const char* name);
void close_directory(int directory);

// Metadata of a name (a symbolic link is not followed, no automount happens) or of an open
// directory. mount gets a number of the mount that it stands on: the device where the system has no
// such numbers.
int stat_at(int at, const char* name, Entry& entry, std::uint64_t* mount = nullptr);
int stat_directory(int directory, Entry& entry, std::uint64_t* mount = nullptr);

// Whether the files of an open directory are made up by the kernel, as those of /proc are.
bool is_kernel_filesystem(int directory);

// Opens the CACHEDIR.TAG of an open directory (https://bford.info/cachedir/), to be handed to
// is_cache_tag(), which says whether it is one and closes it.
int open_cache_tag(int directory);
bool is_cache_tag(int tag);

// What a symbolic link says, however long; nothing else is asked of what the name stands for.
int read_link(int at, const char* name, std::string& target);

// Whether a name leads to something when links are followed: 0 if so. No automount happens at its
// end.
int follow_at(int at, const char* name);

// One name of a directory, as the kernel's getdents64 lays it out in memory; the POSIX backend
// writes the same.
struct RawName {
  std::uint64_t inode;
  std::int64_t offset;
  std::uint16_t length;  // of the whole record: the next one begins so many bytes further
  std::uint8_t type;     // DT_DIR and so on; DT_UNKNOWN: ask stat_at()

  // Follows the type at once and ends with 0.
  [[nodiscard]] const char* name() const { return reinterpret_cast<const char*>(&type) + 1; }
};

// Names as they were read. Filled by read_names(), then iterated by anyone.
class NameBlock {
 public:
  static constexpr std::size_t kBytes =
      64 * 1024;  // about 2,000 names; what GNU and bfs use, and an L2 half

  // Allocates at the first call: a worker that never lists a directory needs no room.
  [[nodiscard]] std::span<std::byte> room() {
    if (!bytes_) bytes_.reset(new std::byte[kBytes]);
    return {bytes_.get(), kBytes};
  }
  void set_used(std::size_t bytes) { used_ = bytes; }
  [[nodiscard]] bool empty() const { return used_ == 0; }
  [[nodiscard]] bool is_large() const { return used_ >= kBytes / 2; }

  // Calls function(const RawName&) for each name but . and .., until it returns false.
  template <class Function>
  void for_each(Function&& function) const {
    for (std::size_t at = 0; at < used_;) {
      const auto* raw = reinterpret_cast<const RawName*>(bytes_.get() + at);
      at += raw->length;
      if (!is_dot(raw->name()) && !function(*raw)) return;
    }
  }

 private:
  static bool is_dot(const char* name) {
    return name[0] == '.' && (name[1] == 0 || (name[1] == '.' && name[2] == 0));
  }

  std::unique_ptr<std::byte[]> bytes_;
  std::size_t used_ = 0;
};

// The next names of the directory; an empty block at the end.
int read_names(int directory, NameBlock& block);

// Where the blocks of an open file lie, if it shares all of them with other files, as a clone does;
// empty otherwise, or where the filesystem does not tell. Files with the same value share theirs
// with each other.
std::vector<std::uint64_t> shared_extents(int file);

// Whether the filesystem of the open file can share blocks between files at all.
bool may_share_extents(int file);

// How many descriptors this process may still open.
std::size_t free_descriptors();

// Seconds that the threads of this process ran or were ready to run while others had the processor.
// What is missing from wall time they spent waiting, for a disk or for work. Without the kernel's
// scheduler statistics only the time that they ran.
double runnable_seconds();

}  // namespace fathom::fs::os
