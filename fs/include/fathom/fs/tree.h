// Tree: every entry that a scan found, as columns.
//
// Guarantees: immutable once built (see tree_builder.h), so any number of threads may read it. A
// node is a number; what is known of it stands in columns, about 65 bytes a node and its name.
// Directories also have a number of their own, DirId, so that what is kept per directory needs no
// room for files.
//
// Numbers differ from run to run, because threads hand them out: results are ordered by size and
// path, never by them.
//
//   tree.for_each_node([&](NodeId node) { bytes += tree.entry(node).size; });
//   std::string where = tree.path(node);

#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::fs {

using NodeId = std::uint32_t;  // of an entry
using DirId = std::uint32_t;   // of a directory

inline constexpr NodeId kNoNode = 0xffffffff;
inline constexpr DirId kNoDir = 0xffffffff;

enum class Kind : std::uint8_t { directory, file, symlink, other };

inline constexpr std::uint32_t kManyLinks = 0xffffffff;

// What st_blocks counts, whatever the filesystem's block size.
inline constexpr std::uint64_t kBlockBytes = 512;

// What an import may not tell. No kernel gives these: (uid_t)-1 is nobody, and no file is that old.
inline constexpr std::uint32_t kUnknownOwner = 0xffffffff;
inline constexpr std::int64_t kUnknownTime = std::numeric_limits<std::int64_t>::min();

// What the kernel says about one entry (lstat's view: links are not followed).
struct Entry {
  std::uint64_t size = 0;    // bytes, apparent
  std::uint64_t blocks = 0;  // of kBlockBytes each, allocated
  std::uint64_t inode = 0;
  std::uint64_t device = 0;
  std::int64_t mtime = 0;  // seconds since the epoch; may be negative, or kUnknownTime
  std::uint32_t uid = 0;   // or kUnknownOwner, as is the next
  std::uint32_t gid = 0;
  std::uint32_t links = 0;  // names of the inode; kManyLinks: so many at least, or nobody knows
  std::uint16_t mode = 0;   // type and permissions, as st_mode

  [[nodiscard]] Kind kind() const;
  // As the contract of Totals counts them.
  [[nodiscard]] std::uint64_t disk_bytes() const;
  [[nodiscard]] std::uint64_t apparent_bytes() const { return size; }
};

// Where a symbolic link leads to, as far as the scan could tell.
enum class LinkEnd : std::uint8_t {
  unknown,  // it was not asked, or the way there could not be followed for want of permission, say
  exists,
  missing,  // nothing is there: the link dangles, or leads in a circle
};

// What a symbolic link says. Bytes, not text.
struct LinkTarget {
  std::string_view path;
  LinkEnd end = LinkEnd::unknown;
};

// What a scan found out about an entry besides what the kernel says of it.
enum NodeFlag : std::uint8_t {
  kExtraLink = 1,   // another name of an inode whose bytes are counted at a smaller path
  kRepeated = 2,    // reached twice (overlapping roots, a bind mount): counted at another path
  kIncomplete = 4,  // a directory of which something could not be read: its sums are lower bounds
  kFilteredOut =
      8,  // a directory that the selection does not want: not counted, but for its contents
  kHasOmittedChildren = 16,  // a directory that holds what was left out or is not wanted
};

// What is not counted by itself.
inline constexpr std::uint8_t kUncounted = kRepeated | kFilteredOut;

class Tree {
 public:
  Tree();
  ~Tree();
  Tree(Tree&&) noexcept;
  Tree& operator=(Tree&&) noexcept;

  // The arguments of the scan, in their order; kNoNode for one of which nothing is known.
  [[nodiscard]] const std::vector<NodeId>& roots() const { return roots_; }

  // All that is known of an entry. A pass over millions asks for the columns that it needs instead.
  [[nodiscard]] Entry entry(NodeId node) const;
  [[nodiscard]] std::uint64_t size(NodeId node) const;
  [[nodiscard]] std::uint64_t blocks(NodeId node) const;
  [[nodiscard]] std::uint64_t inode(NodeId node) const;
  [[nodiscard]] std::uint64_t device(NodeId node) const;
  [[nodiscard]] std::int64_t mtime(NodeId node) const;
  [[nodiscard]] std::uint32_t uid(NodeId node) const;
  [[nodiscard]] std::uint32_t gid(NodeId node) const;
  [[nodiscard]] Kind kind(NodeId node) const;
  [[nodiscard]] std::uint32_t links(NodeId node) const;
  [[nodiscard]] std::uint8_t flags(NodeId node) const;
  // A root's name is its whole path as the caller gave it. Bytes, not text.
  [[nodiscard]] std::string_view name(NodeId node) const;
  [[nodiscard]] DirId parent(NodeId node) const;  // kNoDir for a root
  [[nodiscard]] std::string path(NodeId node) const;
  // Nothing when it is no symbolic link, or one that was not read (ScanOptions::read_links) or
  // could not be; and nothing at all in the tree of a scan that was still running.
  [[nodiscard]] std::optional<LinkTarget> link_target(NodeId node) const;

  [[nodiscard]] NodeId node(DirId directory) const;
  [[nodiscard]] DirId parent_of(DirId directory) const;      // kNoDir for a root
  [[nodiscard]] std::uint32_t depth(DirId directory) const;  // 0 for a root
  [[nodiscard]] std::uint32_t directory_limit() const;       // every DirId is smaller than this

  // The place of the node's root among roots().
  [[nodiscard]] std::size_t root_index(NodeId node) const;

  // Whether a's path is smaller than b's, byte by byte; equal paths are ordered by root. Takes
  // steps in the order of the depth.
  [[nodiscard]] bool path_less(NodeId a, NodeId b) const;

  template <class Function>
  void for_each_node(Function&& function) const;  // function(NodeId)
  template <class Function>
  void for_each_directory(Function&& function) const;  // function(DirId)

 private:
  friend class TreeBuilder;

  // NodeId and DirId are a chunk's number and a row in it. Chunks never move, so the threads that
  // fill them need not meet; a thread's last chunk is not full. Trees of one scan share them, each
  // as far as it knows their rows: one that was taken while the scan ran, and the one at its end.
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
  std::vector<std::uint32_t> node_rows_;       // by chunk: those that are this tree's
  std::vector<std::uint32_t> directory_rows_;  // the same
  std::vector<std::uint8_t> flags_;            // by NodeId
  std::vector<NodeId> roots_;
  bool knows_targets_ = true;  // of symbolic links; not while they are still being written down
};

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
