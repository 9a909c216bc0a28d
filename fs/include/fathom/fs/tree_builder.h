// TreeBuilder: builds a Tree from what several threads find.
//
// Each thread writes rows through its own Appender; threads synchronize only to take a new chunk,
// once per 4,096 rows. finish() joins the chunks and decides which path owns each inode. snapshot()
// does the same with the rows so far, while the threads continue.
//
//   TreeBuilder builder;
//   NodeId root;
//   {
//     TreeBuilder::Appender rows(builder);
//     auto [node, id] = rows.add_directory(kNoDir, 0, "/srv", entry);
//     root = node;
//     rows.add(id, "file", file_entry);
//   }
//   Tree tree = builder.finish({root});

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/base/mutex.h"
#include "fathom/fs/tree.h"

namespace fathom::fs {

class TreeBuilder {
 public:
  class Appender;

  // `keeps_times`: whether the tree has Entry::times.
  explicit TreeBuilder(bool keeps_times = false) : keeps_times_(keeps_times) {}
  TreeBuilder(const TreeBuilder&) = delete;
  TreeBuilder& operator=(const TreeBuilder&) = delete;

  // Takes the roots in the order in which the caller gave them: where two roots have the same path,
  // the first one owns what is below. Requires that all Appenders are destroyed. The builder is
  // empty afterwards.
  [[nodiscard]] Tree finish(std::vector<NodeId> roots);

  // The same for a part of a larger tree in which links and repeated entries are known already: the
  // flags of directories are those that they were added with, and `marked` has those of others.
  struct Marked {
    NodeId node;
    std::uint8_t flags;
  };
  [[nodiscard]] Tree finish_as_marked(std::span<const Marked> marked);

  // A tree of what has been added so far; any thread may call it at any time. It is immutable,
  // whatever the Appenders add, and outlives the builder. It shares their rows and takes about one
  // byte per node itself.
  //
  // It includes everything that was added before the call, if the adding thread synchronized with
  // the caller; and each entry that it includes has all directories above it. Flags are those set
  // so far. It has no targets of links.
  //
  // Requires: the thread that adds a root stores its node at its index in roots, which was kNoNode,
  // before that Appender adds anything else and before anything is added below that root. Must not
  // run concurrently with finish().
  [[nodiscard]] Tree snapshot(std::span<const base::atomic<NodeId>> roots);

 private:
  class SnapshotTrimmer;

  using NodeRows = std::vector<std::uint32_t>;  // by chunk

  [[nodiscard]] NodeRows written_nodes() const;
  [[nodiscard]] Tree written() const;
  [[nodiscard]] Tree take();
  static void set_directory_flags(Tree& tree);
  static void set_flags(Tree& tree);

  const bool keeps_times_;
  base::Mutex mutex_ = base::named_mutex("tree");  // guards the lists, not the chunks' contents
  std::vector<std::shared_ptr<Tree::NodeChunk>> nodes_;
  std::vector<std::shared_ptr<Tree::DirectoryChunk>> directories_;
};

// Adds the rows of one thread. Adding throws base::Error if 2^32 nodes are exceeded or a name has
// 64 MiB, and std::bad_alloc.
class TreeBuilder::Appender {
 public:
  explicit Appender(TreeBuilder& builder) : builder_(builder) {}
  Appender(const Appender&) = delete;
  Appender& operator=(const Appender&) = delete;

  struct Directory {
    NodeId node;
    DirId id;
  };

  // For a root, the parent is kNoDir and the name is the whole path.
  NodeId add(DirId parent, std::string_view name, const Entry& entry);
  // A symbolic link whose target was read.
  NodeId add_link(DirId parent, std::string_view name, const Entry& entry,
                  const LinkTarget& target);
  // `flags` are NodeFlags that are already known: no snapshot sees the directory without them.
  Directory add_directory(DirId parent, std::uint32_t depth, std::string_view name,
                          const Entry& entry, std::uint8_t flags = 0);

  // Sets a flag of a directory, which any Appender may have added.
  void mark(DirId directory, NodeFlag flag) {
    if (directory != marked_ || flag != mark_) mark_anew(directory, flag);
  }
  void mark_incomplete(DirId directory) { mark(directory, kIncomplete); }

 private:
  [[nodiscard]] std::uint32_t rows() const;
  void make_room(std::size_t name);
  void take_nodes(std::size_t name);
  void add_name_block();
  void mark_anew(DirId directory, NodeFlag flag);

  TreeBuilder& builder_;
  Tree::NodeChunk* nodes_ = nullptr;  // owned by the builder, as is the next
  Tree::DirectoryChunk* directories_ = nullptr;
  std::uint32_t node_chunk_ = 0;
  std::uint32_t directory_chunk_ = 0;

  // Where the next name goes in the last block of names of the chunk.
  char* names_ = nullptr;
  std::uint32_t names_left_ = 0;   // bytes
  std::uint32_t names_end_ = 0;    // as in NodeChunk::name_ends
  std::uint32_t name_blocks_ = 0;  // existing blocks of the chunk

  DirId marked_ = kNoDir;  // the last flag that was set; the next is often the same
  NodeFlag mark_ = kIncomplete;
};

}  // namespace fathom::fs
