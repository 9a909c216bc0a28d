// TreeBuilder: makes a Tree out of what several threads find.
//
// Each thread has an Appender of its own and writes rows through it; the threads meet only to take
// a new chunk, once in 4,096 rows. finish() joins the chunks and decides which path owns each
// inode. snapshot() does the same with what is there while the threads go on.
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

  TreeBuilder() = default;
  TreeBuilder(const TreeBuilder&) = delete;
  TreeBuilder& operator=(const TreeBuilder&) = delete;

  // Names the roots in the order that the caller gave them: where two roots have the same path the
  // first one owns what is below. Requires: every Appender is gone. The builder is empty
  // afterwards.
  [[nodiscard]] Tree finish(std::vector<NodeId> roots);

  // A tree of what has been added so far, by any thread at any time. It stays as it is, whatever
  // the Appenders add, and outlives the builder; it shares their rows, and takes about a byte a
  // node of its own.
  //
  // It holds all that was added before the call, if whoever added it told the caller so, and what
  // else it holds is whole: with each entry all directories above it. Marks are those that were
  // made by then. It knows of no link's target.
  //
  // Requires: whoever adds a root writes its node to its place in roots, which is kNoNode until
  // then, before anything else is added by that Appender or below that root. No call of finish()
  // at the same time.
  [[nodiscard]] Tree snapshot(std::span<const base::atomic<NodeId>> roots);

 private:
  class SnapshotTrimmer;

  using NodeRows = std::vector<std::uint32_t>;  // by chunk

  [[nodiscard]] NodeRows written_nodes() const;
  [[nodiscard]] Tree written() const;
  static void set_flags(Tree& tree);

  base::Mutex mutex_ = base::named_mutex("tree");  // guards the lists, not what is in the chunks
  std::vector<std::shared_ptr<Tree::NodeChunk>> nodes_;
  std::vector<std::shared_ptr<Tree::DirectoryChunk>> directories_;
};

// One thread's pen. Adding throws base::Error when 2^32 nodes are not enough or a name has 64 MiB,
// and std::bad_alloc when memory is not.
class TreeBuilder::Appender {
 public:
  explicit Appender(TreeBuilder& builder) : builder_(builder) {}
  Appender(const Appender&) = delete;
  Appender& operator=(const Appender&) = delete;

  struct Directory {
    NodeId node;
    DirId id;
  };

  // The parent is kNoDir for a root; then the name is the whole path.
  NodeId add(DirId parent, std::string_view name, const Entry& entry);
  // A symbolic link that was read.
  NodeId add_link(DirId parent, std::string_view name, const Entry& entry,
                  const LinkTarget& target);
  // With NodeFlags that are known already: nobody sees the directory without them.
  Directory add_directory(DirId parent, std::uint32_t depth, std::string_view name,
                          const Entry& entry, std::uint8_t flags = 0);

  // Says something of a directory, which any Appender may have added.
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

  // Where the next name goes in the chunk's last block of names.
  char* names_ = nullptr;
  std::uint32_t names_left_ = 0;   // bytes
  std::uint32_t names_end_ = 0;    // as in NodeChunk::name_ends
  std::uint32_t name_blocks_ = 0;  // of the chunk, that are there

  DirId marked_ = kNoDir;  // the last mark: the next is often the same
  NodeFlag mark_ = kIncomplete;
};

}  // namespace fathom::fs
