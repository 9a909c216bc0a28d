// FilesystemFacts: what the system says of a filesystem beside what a scan can find on it.
//
// The report `explain` sets them against a scan; see report.h. What this user may not see is not
// known, and counted where it can be.
//
//   const UsedBytes before = used_bytes(options.roots);
//   Scan found = scan(options);
//   found.filesystems = gather_filesystem_facts(found.roots, before);

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fathom::fs {

// A file that has no name any more, but takes room until it is closed.
struct DeletedFile {
  std::uint64_t inode = 0;
  std::uint64_t disk_bytes = 0;
  std::uint64_t processes = 0;  // that have it open
  std::int64_t pid = 0;         // the smallest of theirs
  std::string command;          // what that process is called; bytes
  std::string path;             // the last name; bytes
};

struct FilesystemFacts {
  std::vector<std::size_t> roots;  // that are on it, by their places; never empty
  std::string mount_point;         // of the first root's mount; empty if the system does not say
  std::string type;                // "ext4"; empty if the system does not say
  bool whole = false;  // a root is a mount point at which all of the filesystem is mounted

  // Of its own entries, as Entry::device has them; and of those on any other mount.
  std::uint64_t device = 0;
  std::vector<std::uint64_t> other_devices;  // ascending

  // What df says, in bytes.
  std::uint64_t size = 0;
  std::uint64_t free = 0;
  std::uint64_t available = 0;               // to anyone; the rest of what is free is reserved
  std::optional<std::uint64_t> used_before;  // what it used before the scan, if that is known
  std::uint64_t inodes = 0;                  // 0: the filesystem does not count them
  std::uint64_t free_inodes = 0;

  // Each inode once, by pid, then inode. Not those that this process alone has open: it is what
  // looks, and what its parent left open for it is gone with it.
  std::vector<DeletedFile> deleted;
  std::uint64_t unseen_processes = 0;         // whose open files this user may not see
  std::vector<std::string> hidden_by_mounts;  // mount points with something else in front; by path
};

// What the filesystem of each root uses, in bytes; nothing where it cannot be asked.
using UsedBytes = std::vector<std::optional<std::uint64_t>>;
[[nodiscard]] UsedBytes used_bytes(const std::vector<std::string>& roots);

// Of each filesystem that a root is on, in the order of the roots. A root that is a symbolic link
// or cannot be looked at has none. Opens nothing that could hang but what was scanned. `before` is
// used_bytes() of the same roots from before the scan, or empty.
[[nodiscard]] std::vector<FilesystemFacts> gather_filesystem_facts(
    const std::vector<std::string>& roots, const UsedBytes& before = {});

}  // namespace fathom::fs
