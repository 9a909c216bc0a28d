// What a scan must find: counted the plain way, and by du itself.
//
// count() is slow, single-threaded and obviously right: opendir, readdir, one fstatat per name, a
// set of the inodes seen. It shares no code with what it judges. du() asks the installed du.
//
//   EXPECT_EQ(scan(tree.path()).disk_bytes, count({tree.path()}).disk_bytes);
//   EXPECT_EQ(count({tree.path()}).disk_bytes, du(tree.path(), false));

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fathom::testing {

// Which inodes have an apparent size. GNU du changed its mind; the difference is mostly the
// directories, as fifos, sockets and devices have an st_size of 0 on Linux.
enum class ApparentRule {
  every_kind,          // st_size of everything, directories included: coreutils up to 9.1
  files_and_symlinks,  // st_size of regular files and symbolic links only: later coreutils
};

// The rule of the du that is installed here, found by trying it. Throws like du().
ApparentRule installed_du_rule();

struct OracleOptions {
  bool one_file_system = false;  // leave out what lies on another device than its root, as du -x
  ApparentRule apparent = ApparentRule::every_kind;
};

// Sums over all roots together. Each inode, by device and number, counts once in all of them but
// `entries`.
struct OracleTotals {
  std::uint64_t files = 0;
  std::uint64_t dirs = 0;  // roots included
  std::uint64_t symlinks = 0;
  std::uint64_t others = 0;          // fifos, sockets, devices
  std::uint64_t disk_bytes = 0;      // st_blocks * 512
  std::uint64_t apparent_bytes = 0;  // by OracleOptions::apparent
  std::uint64_t entries = 0;         // names met, roots and further names of one inode included
  std::uint64_t unreadable = 0;      // directories not listed and names not examined

  bool operator==(const OracleTotals&) const = default;
};

// Counts everything in and below the roots, following no symbolic link, not even a root.
//
// A directory that is reached a second time (from overlapping roots, or by a bind mount) is not
// entered again. du agrees, but for one case: given a single root it recognizes only hard-linked
// inodes again, hence counts what is bind-mounted twice below that root twice.
//
// Throws base::SystemError when a root does not exist. Depth is limited by memory alone.
OracleTotals count(const std::vector<std::string>& roots, const OracleOptions& options = {});

// The total that `du -s --block-size=1` (with --apparent-size, with -x) prints for the roots
// together. What du cannot read it leaves out, and that is no error here. Throws base::Error when
// du prints no total.
std::uint64_t du(const std::vector<std::string>& roots, bool apparent,
                 bool one_file_system = false);
std::uint64_t du(const std::string& root, bool apparent);

}  // namespace fathom::testing
