// Oracle: the expected result of a scan, counted in the simplest way, and by du.
//
// count() is slow, single-threaded and obviously correct: opendir, readdir, one fstatat per name,
// and a set of the inodes seen. It shares no code with the code under test. du() runs the installed
// du.
//
//   EXPECT_EQ(scan(tree.path()).disk_bytes, count({tree.path()}).disk_bytes);
//   EXPECT_EQ(count({tree.path()}).disk_bytes, du(tree.path(), false));

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fathom::testing {

// Which inodes have an apparent size. GNU du has changed its rule; in practice only directories
// differ, because fifos, sockets and devices have an st_size of 0 on Linux.
enum class ApparentRule {
  every_kind,          // st_size of everything, directories included: coreutils up to 9.1
  files_and_symlinks,  // st_size of regular files and symbolic links only: later coreutils
};

// The rule of the installed du, found by trying it. Throws like du().
ApparentRule installed_du_rule();

struct OracleOptions {
  bool one_file_system = false;  // exclude other devices than the root's, like du -x
  ApparentRule apparent = ApparentRule::every_kind;
};

// Sums over all roots. Each inode, identified by device and number, counts once in all fields
// except `entries`.
struct OracleTotals {
  std::uint64_t files = 0;
  std::uint64_t dirs = 0;  // roots included
  std::uint64_t symlinks = 0;
  std::uint64_t others = 0;          // fifos, sockets, devices
  std::uint64_t disk_bytes = 0;      // st_blocks * 512
  std::uint64_t apparent_bytes = 0;  // by OracleOptions::apparent
  std::uint64_t entries = 0;         // names, including roots and further names of an inode
  std::uint64_t unreadable = 0;      // directories and names that could not be read

  bool operator==(const OracleTotals&) const = default;
};

// Counts everything in and below the roots. Does not follow symbolic links, not even if they are
// roots.
//
// A directory that is reached a second time (through overlapping roots, or a bind mount) is not
// entered again. du agrees, with one exception: given a single root, it only recognizes repeated
// inodes with several hard links, so it counts what is bind-mounted twice below that root twice.
//
// Throws base::SystemError if a root does not exist. Depth is limited only by memory.
OracleTotals count(const std::vector<std::string>& roots, const OracleOptions& options = {});

// The total of all roots that `du -s --block-size=1` (with --apparent-size, with -x) prints. du
// skips what it cannot read, which is not an error here. Throws base::Error if du prints no total.
std::uint64_t du(const std::vector<std::string>& roots, bool apparent,
                 bool one_file_system = false);
std::uint64_t du(const std::string& root, bool apparent);

}  // namespace fathom::testing
