// The system calls of a scan, implemented by os_linux.cc or os_posix.cc, of which CMake chooses
// one, and by os_common.cc.
//
// A function that returns int returns 0 or more on success and -errno on failure; none throws or
// returns EINTR.
// Names are relative to an open directory, so no path is ever too long.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/fs/tree.h"

namespace fathom::fs::os {

inline constexpr int kCurrentDirectory =
    -100;  // AT_FDCWD: names are relative to the working directory, or absolute

// Opens a directory for listing. Returns -ELOOP or -ENOTDIR for a symbolic link and -ENOTDIR for
// anything else that is not a directory. Close the result with close_directory().
int open_directory(int at, const char* name);
// The same for looking up names in it only, where the system can tell the difference: a file server
// is not asked to open it then.
int open_for_lookups(int at, const char* name);
void close_directory(int directory);

// Whether Entry::times are wanted. On network filesystems they may cost a request.
enum class Wanted : bool { without_times, with_times };

// Metadata of a name (without following a symbolic link or triggering an automount) or of an open
// directory. `mount` receives a number that identifies its mount, or the device where the system
// has no such number.
int stat_at(int at, const char* name, Entry& entry, std::uint64_t* mount = nullptr,
            Wanted wanted = Wanted::without_times);
int stat_directory(int directory, Entry& entry, std::uint64_t* mount = nullptr,
                   Wanted wanted = Wanted::without_times);

// Whether the open directory is on a virtual filesystem of the kernel, such as /proc.
bool is_kernel_filesystem(int directory);

// Opens the CACHEDIR.TAG of an open directory (https://bford.info/cachedir/). Pass the result to
// is_cache_tag(), which checks its signature and closes it.
int open_cache_tag(int directory);
bool is_cache_tag(int tag);

// Reads the target of a symbolic link, of any length. Makes no other call on the name.
int read_link(int at, const char* name, std::string& target);

// Whether a name exists when links are followed: 0 if so. Does not trigger an automount at its end.
int follow_at(int at, const char* name);

// One name of a directory, in the memory layout of the kernel's getdents64; the POSIX backend
// writes the same layout.
struct RawName {
  std::uint64_t inode;
  std::int64_t offset;
  std::uint16_t length;  // of the whole record: the distance to the next one
  std::uint8_t type;     // DT_DIR and so on; DT_UNKNOWN: call stat_at()

  // Directly follows the type and ends with 0.
  [[nodiscard]] const char* name() const { return reinterpret_cast<const char*>(&type) + 1; }
};

// Names as they were read: filled by read_names(), then iterated by any thread.
class NameBlock {
 public:
  static constexpr std::size_t kBytes =
      64 * 1024;  // about 2,000 names; half of an L2 cache; GNU tools and bfs use the same

  // Allocates on first use, so that a worker that never lists a directory needs no buffer.
  [[nodiscard]] std::span<std::byte> room() {
    if (!bytes_) bytes_.reset(new std::byte[kBytes]);
    return {bytes_.get(), kBytes};
  }
  void set_used(std::size_t bytes) {
    used_ = bytes;
    settled_ = false;
  }
  [[nodiscard]] bool empty() const { return used_ == 0; }

  // Whether the directory was unchanged until its names were read, so that what a volume knows of
  // their inodes is true. Set by the Lister; reading names resets it.
  void set_settled(bool settled) { settled_ = settled; }
  [[nodiscard]] bool settled() const { return settled_; }
  [[nodiscard]] bool is_large() const { return used_ >= kBytes / 2; }

  // How long a name may be, at most: no filesystem of Linux has longer ones than 1,530 bytes.
  static constexpr std::size_t kLongestName = 4095;

  // Whether any name has room.
  [[nodiscard]] bool has_room() const { return kBytes - used_ >= record_length(kLongestName); }

  // Appends a name, which must have room.
  void add(std::string_view name, std::uint8_t type, std::uint64_t inode = 0) {
    const std::size_t length = record_length(name.size());
    std::byte* const at = room().data() + used_;
    auto* const raw = new (at) RawName;
    raw->inode = inode;
    raw->offset = 0;
    raw->length = static_cast<std::uint16_t>(length);
    raw->type = type;
    std::memcpy(at + kHeader, name.data(), name.size());
    at[kHeader + name.size()] = std::byte{0};
    used_ += length;
  }

  // Calls function(const RawName&) for each name except . and .., until it returns false.
  template <class Function>
  void for_each(Function&& function) const {
    for (std::size_t at = 0; at < used_;) {
      const auto* raw = reinterpret_cast<const RawName*>(bytes_.get() + at);
      at += raw->length;
      if (!is_dot(raw->name()) && !function(*raw)) return;
    }
  }

 private:
  static constexpr std::size_t kHeader = offsetof(RawName, type) + 1;

  static constexpr std::size_t record_length(std::size_t name) {
    constexpr std::size_t kAlign = alignof(RawName);
    return (kHeader + name + 1 + kAlign - 1) / kAlign * kAlign;
  }

  static bool is_dot(const char* name) {
    return name[0] == '.' && (name[1] == 0 || (name[1] == '.' && name[2] == 0));
  }

  std::unique_ptr<std::byte[]> bytes_;
  std::size_t used_ = 0;
  bool settled_ = false;
};

// Reads the next names of the directory; an empty block marks the end.
int read_names(int directory, NameBlock& block);

// The physical positions of the blocks of an open file if it shares all of them with other files,
// as a clone does; empty otherwise, or if the filesystem does not say. Files with the same value
// share their blocks.
std::vector<std::uint64_t> shared_extents(int file);

// Whether the filesystem of the open directory is one that sets the ctime of a file with every
// change, by the clock of this machine, and keeps it when it is mounted again.
bool keeps_change_times(int directory);

// Whether the filesystem of the open file can share blocks between files.
bool may_share_extents(int file);

// How many more descriptors this process may open, and how many of them work may use: the rest of
// the process needs some too.
std::size_t free_descriptors();
std::size_t usable_descriptors();

// Seconds that the threads of this process ran or waited for a processor. The rest of wall time
// they waited for a disk or for work. Without the kernel's scheduler statistics, only the time that
// they ran.
double runnable_seconds();

}  // namespace fathom::fs::os
