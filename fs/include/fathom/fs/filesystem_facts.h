// FilesystemFacts: what the system reports about a filesystem, beyond what a scan can find on it.
//
// The report `explain` compares these facts with a scan; see report.h. Facts that this user is not
// permitted to see are unknown, and are counted where possible.
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

// A file that no longer has a name but takes space until it is closed.
struct DeletedFile {
  std::uint64_t inode = 0;
  std::uint64_t disk_bytes = 0;
  std::uint64_t processes = 0;  // that have it open
  std::int64_t pid = 0;         // the smallest of their process ids
  std::string command;          // the name of that process; bytes
  std::string path;             // its last name; bytes
};

struct FilesystemFacts {
  std::vector<std::size_t> roots;  // indexes of the roots on this filesystem; never empty
  std::string mount_point;         // of the first root's mount; empty if unknown
  std::string type;                // such as "ext4"; empty if unknown
  bool whole = false;              // a root is a mount point of the whole filesystem

  // As in Entry::device: of the filesystem's own entries, and of those on any other mount of it.
  std::uint64_t device = 0;
  std::vector<std::uint64_t> other_devices;  // ascending

  // In bytes, as df reports them.
  std::uint64_t size = 0;
  std::uint64_t free = 0;
  std::uint64_t available = 0;  // to unprivileged users; the rest of the free space is reserved
  std::optional<std::uint64_t> used_before;  // the used bytes before the scan, if known
  std::uint64_t inodes = 0;                  // 0: the filesystem does not count inodes
  std::uint64_t free_inodes = 0;

  // Each inode once, by pid, then inode. Files that only this process has open are not included: it
  // is the observer, and files that it inherited are closed when it ends.
  std::vector<DeletedFile> deleted;
  std::uint64_t unseen_processes = 0;         // processes whose open files this user may not see
  std::vector<std::string> hidden_by_mounts;  // mount points that another mount covers; by path
};

// The bytes that the filesystem of each root uses; nothing where they cannot be determined.
using UsedBytes = std::vector<std::optional<std::uint64_t>>;
[[nodiscard]] UsedBytes used_bytes(const std::vector<std::string>& roots);

// One element for each filesystem that a root is on, in the order of the roots. A root that is a
// symbolic link or cannot be read is skipped. Opens nothing that could hang, except what was
// scanned. `before` is used_bytes() of the same roots from before the scan, or empty.
[[nodiscard]] std::vector<FilesystemFacts> gather_filesystem_facts(
    const std::vector<std::string>& roots, const UsedBytes& before = {});

// The same without the deleted files, for which all processes are asked what they have open.
[[nodiscard]] std::vector<FilesystemFacts> gather_filesystem_figures(
    const std::vector<std::string>& roots);

}  // namespace fathom::fs
