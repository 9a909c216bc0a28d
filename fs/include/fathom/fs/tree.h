// Tree: every entry that a scan found, in columns.
//
// Guarantees: immutable once built (see tree_builder.h), so any number of threads may read it. A
// node is a number, and its attributes are in columns: about 65 bytes per node, plus its name, and
// 24 more with exact times. Directories also have a second number, DirId, so that per-directory
// tables need no space for files.
//
// Threads assign the numbers, so they differ from run to run. Results are ordered by size and path,
// never by number.
//
//   tree.for_each_node([&](NodeId node) { bytes += tree.entry(node).size; });
//   std::string where = tree.path(node);

#pragma once

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/base/clock.h"
#include "fathom/base/saturating.h"

namespace fathom::fs {

using NodeId = std::uint32_t;  // of an entry
using DirId = std::uint32_t;   // of a directory

inline constexpr NodeId kNoNode = 0xffffffff;
inline constexpr DirId kNoDir = 0xffffffff;

enum class Kind : std::uint8_t { directory, file, symlink, other };

// Of a mode like st_mode.
[[nodiscard]] inline Kind kind_of(std::uint16_t mode) {
  switch (mode & S_IFMT) {
    case S_IFDIR:
      return Kind::directory;
    case S_IFREG:
      return Kind::file;
    case S_IFLNK:
      return Kind::symlink;
    default:
      return Kind::other;
  }
}

inline constexpr std::uint32_t kManyLinks = 0xffffffff;

// The unit of st_blocks, whatever the filesystem's block size is.
inline constexpr std::uint64_t kBlockBytes = 512;

// For imports without these facts. No kernel returns these values: (uid_t)-1 is not a user, and no
// file is that old.
inline constexpr std::uint32_t kUnknownOwner = 0xffffffff;
inline constexpr std::int64_t kUnknownTime = std::numeric_limits<std::int64_t>::min();

// Seconds since the epoch in nanoseconds; kUnknownTime if they are more than 292 years away.
constexpr std::int64_t nanoseconds_if_known(std::int64_t seconds, std::int64_t rest = 0) noexcept {
  const std::int64_t time = base::to_nanoseconds(seconds, rest);
  return time == std::numeric_limits<std::int64_t>::max() ? kUnknownTime : time;
}

// The times of an entry, in nanoseconds since the epoch; kUnknownTime if it is unknown, or too far
// from the epoch.
struct Times {
  std::int64_t mtime = kUnknownTime;  // of the last change of the content
  std::int64_t ctime = kUnknownTime;  // of the last change of the content or the metadata
  std::int64_t btime = kUnknownTime;  // of the creation
};

// Metadata of one entry, as lstat returns it (links are not followed).
struct Entry {
  std::uint64_t size = 0;    // bytes, apparent
  std::uint64_t blocks = 0;  // of kBlockBytes each, allocated
  std::uint64_t inode = 0;
  std::uint64_t device = 0;
  std::int64_t mtime = 0;  // seconds since the epoch; may be negative, or kUnknownTime
  std::uint32_t uid = 0;   // or kUnknownOwner, as is the next
  std::uint32_t gid = 0;
  std::uint32_t links = 0;  // names of the inode; kManyLinks: that many or more, or unknown
  std::uint16_t mode = 0;   // type and permissions, like st_mode
  Times times = {};         // known only if somebody asked for them: ScanOptions::read_times

  [[nodiscard]] Kind kind() const { return kind_of(mode); }
  // An import without the permissions has no owner either, and permissions of 0.
  [[nodiscard]] bool knows_permissions() const {
    return uid != kUnknownOwner || (mode & 07777U) != 0;
  }
  // As Totals counts them.
  [[nodiscard]] std::uint64_t disk_bytes() const {
    return base::saturating_mul(blocks, kBlockBytes);
  }
  [[nodiscard]] std::uint64_t apparent_bytes() const { return size; }
};

// Whether the target of a symbolic link exists, if the scan knows.
enum class LinkEnd : std::uint8_t {
  unknown,  // not checked, or the path could not be followed, for example without permission
  exists,
  missing,  // the link is dangling, or part of a cycle
};

// The target of a symbolic link. Bytes, not text.
struct LinkTarget {
  std::string_view path;
  LinkEnd end = LinkEnd::unknown;
};

// What a scan found out about an entry, in addition to its metadata.
enum NodeFlag : std::uint8_t {
  kExtraLink = 1,    // a further name of an inode whose bytes are counted at a smaller path
  kRepeated = 2,     // reached twice (overlapping roots, a bind mount): counted at another path
  kIncomplete = 4,   // a directory that could not be read completely: its sums are lower bounds
  kFilteredOut = 8,  // a directory that does not match the selection: only its contents count
  kHasOmittedChildren = 16,  // a directory with entries that were excluded or filtered out
};

// Entries with one of these flags are not counted themselves.
inline constexpr std::uint8_t kUncounted = kRepeated | kFilteredOut;

class Tree {
 public:
  Tree();
  ~Tree();
  Tree(Tree&&) noexcept;
  Tree& operator=(Tree&&) noexcept;

  // The arguments of the scan, in their order; kNoNode for a root that could not be read.
  [[nodiscard]] const std::vector<NodeId>& roots() const { return roots_; }

  // All metadata of an entry. A pass over millions of entries should read only the columns it
  // needs.
  [[nodiscard]] Entry entry(NodeId node) const;
  [[nodiscard]] std::uint64_t size(NodeId node) const;
  [[nodiscard]] std::uint64_t blocks(NodeId node) const;
  [[nodiscard]] std::uint64_t inode(NodeId node) const;
  [[nodiscard]] std::uint64_t device(NodeId node) const;
  [[nodiscard]] std::int64_t mtime(NodeId node) const;
  [[nodiscard]] Times times(NodeId node) const;  // unknown unless the tree keeps them
  [[nodiscard]] std::uint32_t uid(NodeId node) const;
  [[nodiscard]] std::uint32_t gid(NodeId node) const;
  [[nodiscard]] Kind kind(NodeId node) const;
  [[nodiscard]] std::uint16_t mode(NodeId node) const;
  [[nodiscard]] std::uint32_t links(NodeId node) const;
  [[nodiscard]] std::uint8_t flags(NodeId node) const;
  // The name of a root is its whole path as the caller gave it. Bytes, not text.
  [[nodiscard]] std::string_view name(NodeId node) const;
  [[nodiscard]] DirId parent(NodeId node) const;  // kNoDir for a root
  [[nodiscard]] std::string path(NodeId node) const;
  // Nothing if the entry is not a symbolic link, or was not read (ScanOptions::read_links) or could
  // not be; always nothing in a snapshot of a running scan.
  [[nodiscard]] std::optional<LinkTarget> link_target(NodeId node) const;

  [[nodiscard]] NodeId node(DirId directory) const;
  [[nodiscard]] DirId parent_of(DirId directory) const;      // kNoDir for a root
  [[nodiscard]] std::uint32_t depth(DirId directory) const;  // 0 for a root
  [[nodiscard]] std::uint32_t directory_limit() const;       // greater than every DirId

  // The index of the node's root in roots().
  [[nodiscard]] std::size_t root_index(NodeId node) const;

  // Whether a's path is smaller than b's, byte by byte; equal paths are ordered by root. Takes
  // O(depth) time.
  [[nodiscard]] bool path_less(NodeId a, NodeId b) const;

  template <class Function>
  void for_each_node(Function&& function) const;  // function(NodeId)
  template <class Function>
  void for_each_directory(Function&& function) const;  // function(DirId)

 private:
  friend class TreeBuilder;

  // NodeId and DirId consist of a chunk number and a row in it. Chunks never move, so threads that
  // fill different chunks need no synchronization; the last chunk of each thread is not full. The
  // trees of one scan, its snapshots and the final one, share chunks; each tree knows how many of
  // their rows it includes.
  static constexpr std::uint32_t kRowBits = 12;
  static constexpr std::uint32_t kRows = 1U << kRowBits;
  static constexpr std::uint32_t kDirectoryBits = 9;
  static constexpr std::uint32_t kDirectories = 1U << kDirectoryBits;

  struct NodeChunk;
  struct DirectoryChunk;

  [[nodiscard]] bool path_less_between_roots(NodeId a, NodeId b) const;
  [[nodiscard]] std::uint32_t rows_of(std::uint32_t chunk) const;
  [[nodiscard]] std::uint32_t directories_of(std::uint32_t chunk) const;

  std::vector<std::shared_ptr<const NodeChunk>> nodes_;
  std::vector<std::shared_ptr<const DirectoryChunk>> directories_;
  std::vector<std::uint32_t> node_rows_;       // by chunk: the rows that this tree includes
  std::vector<std::uint32_t> directory_rows_;  // the same
  std::vector<std::uint8_t> flags_;            // by NodeId
  std::vector<NodeId> roots_;
  bool knows_targets_ = true;  // false while the targets of links are still being written
};

// kRows entries. One Appender fills it, row by row, while other threads may read the earlier rows:
// once a row is counted, nothing in it moves or changes.
//
// The columns are not value-initialized: pages that no row reaches are never touched, which keeps
// small scans cheap.
struct Tree::NodeChunk {
  NodeChunk(unsigned block_bits, bool keeps_times)
      : name_bits(block_bits), times(keeps_times ? new Times[kRows] : nullptr) {}

  // Names are stored one after the other in blocks; no name spans two. A block holds 2^name_bits -
  // 1 bytes, so that the end of a name also identifies its block.
  static constexpr unsigned kNameBits = 14;
  static constexpr std::uint32_t kNameBlocks = 64;
  static constexpr unsigned kMostNameBits = 26;  // ends have 32 bits

  base::atomic<std::uint32_t> rows{0};  // [A1] the written rows
  const unsigned name_bits;
  std::array<std::unique_ptr<char[]>, kNameBlocks> names;
  std::array<std::uint32_t, kRows> name_ends;  // block << name_bits | end in the block
  std::array<DirId, kRows> parents;
  std::array<std::uint64_t, kRows> sizes;
  std::array<std::uint64_t, kRows> blocks;
  std::array<std::uint64_t, kRows> inodes;
  std::array<std::uint64_t, kRows> devices;
  std::array<std::int64_t, kRows> mtimes;
  std::array<std::uint32_t, kRows> uids;
  std::array<std::uint32_t, kRows> gids;
  std::array<std::uint32_t, kRows> links;
  std::array<std::uint16_t, kRows> modes;
  const std::unique_ptr<Times[]> times;  // kRows; null if the tree does not keep them

  // Targets of symbolic links, by row: only of links that were read, which are few. These vectors
  // reallocate, so only trees of finished scans may read them.
  struct Target {
    std::size_t begin;  // in target_paths
    std::uint32_t length;
    std::uint16_t row;
    LinkEnd end;
  };
  std::vector<Target> targets;
  std::string target_paths;  // one after the other

  [[nodiscard]] std::string_view name(std::uint32_t row) const {
    const std::uint32_t end = name_ends[row];
    const std::uint32_t block = end >> name_bits;
    const std::uint32_t block_begin = block << name_bits;
    const std::uint32_t begin = row == 0 ? 0 : std::max(name_ends[row - 1], block_begin);
    return {names[block].get() + (begin - block_begin), end - begin};
  }
};

// kDirectories directories, filled like a NodeChunk.
struct Tree::DirectoryChunk {
  DirectoryChunk() {}  // leaves the columns uninitialized, like NodeChunk

  base::atomic<std::uint32_t> rows{0};  // [A1] the written rows
  std::array<NodeId, kDirectories> nodes;
  std::array<DirId, kDirectories> parents;
  std::array<std::uint32_t, kDirectories> depths;
  std::array<base::atomic<std::uint8_t>, kDirectories>
      marks;  // NodeFlags; any Appender may add some
};

inline std::uint64_t Tree::size(NodeId node) const {
  return nodes_[node >> kRowBits]->sizes[node & (kRows - 1)];
}

inline std::uint64_t Tree::blocks(NodeId node) const {
  return nodes_[node >> kRowBits]->blocks[node & (kRows - 1)];
}

inline std::uint64_t Tree::inode(NodeId node) const {
  return nodes_[node >> kRowBits]->inodes[node & (kRows - 1)];
}

inline std::uint64_t Tree::device(NodeId node) const {
  return nodes_[node >> kRowBits]->devices[node & (kRows - 1)];
}

inline std::int64_t Tree::mtime(NodeId node) const {
  return nodes_[node >> kRowBits]->mtimes[node & (kRows - 1)];
}

inline Times Tree::times(NodeId node) const {
  const std::unique_ptr<Times[]>& times = nodes_[node >> kRowBits]->times;
  return times == nullptr ? Times{} : times[node & (kRows - 1)];
}

inline std::uint32_t Tree::uid(NodeId node) const {
  return nodes_[node >> kRowBits]->uids[node & (kRows - 1)];
}

inline std::uint32_t Tree::gid(NodeId node) const {
  return nodes_[node >> kRowBits]->gids[node & (kRows - 1)];
}

inline Kind Tree::kind(NodeId node) const {
  return kind_of(nodes_[node >> kRowBits]->modes[node & (kRows - 1)]);
}

inline std::uint16_t Tree::mode(NodeId node) const {
  return nodes_[node >> kRowBits]->modes[node & (kRows - 1)];
}

inline std::uint32_t Tree::links(NodeId node) const {
  return nodes_[node >> kRowBits]->links[node & (kRows - 1)];
}

inline std::uint8_t Tree::flags(NodeId node) const {
  return flags_[node];
}

inline std::string_view Tree::name(NodeId node) const {
  return nodes_[node >> kRowBits]->name(node & (kRows - 1));
}

inline DirId Tree::parent(NodeId node) const {
  return nodes_[node >> kRowBits]->parents[node & (kRows - 1)];
}

inline NodeId Tree::node(DirId directory) const {
  return directories_[directory >> kDirectoryBits]->nodes[directory & (kDirectories - 1)];
}

inline DirId Tree::parent_of(DirId directory) const {
  return directories_[directory >> kDirectoryBits]->parents[directory & (kDirectories - 1)];
}

inline std::uint32_t Tree::depth(DirId directory) const {
  return directories_[directory >> kDirectoryBits]->depths[directory & (kDirectories - 1)];
}

inline std::uint32_t Tree::directory_limit() const {
  return static_cast<std::uint32_t>(directories_.size()) << kDirectoryBits;
}

inline std::uint32_t Tree::rows_of(std::uint32_t chunk) const {
  return node_rows_[chunk];
}

inline std::uint32_t Tree::directories_of(std::uint32_t chunk) const {
  return directory_rows_[chunk];
}

template <class Function>
void Tree::for_each_node(Function&& function) const {
  for (std::uint32_t chunk = 0; chunk < nodes_.size(); ++chunk) {
    const std::uint32_t rows = rows_of(chunk);
    for (std::uint32_t row = 0; row < rows; ++row) function(chunk << kRowBits | row);
  }
}

template <class Function>
void Tree::for_each_directory(Function&& function) const {
  for (std::uint32_t chunk = 0; chunk < directories_.size(); ++chunk) {
    const std::uint32_t rows = directories_of(chunk);
    for (std::uint32_t row = 0; row < rows; ++row) function(chunk << kDirectoryBits | row);
  }
}

}  // namespace fathom::fs
