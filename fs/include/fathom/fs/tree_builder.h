// TreeBuilder: makes a Tree out of what several threads find.
//
// Each thread has an Appender of its own and writes rows through it; the threads meet only to take
// a new chunk, once in 4,096 rows. finish() joins the chunks and decides which path owns each
// inode.
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

#include <vector>

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

 private:
  struct Mark {
    DirId directory;
    Flag flag;
    bool operator==(const Mark&) const = default;
  };

  base::Mutex mutex_ = base::named_mutex("tree");  // guards what follows until finish()
  Tree tree_;
  std::vector<Mark> marks_;
};

// One thread's pen. Adding throws base::Error when 2^32 nodes are not enough, and std::bad_alloc
// when memory is not.
class TreeBuilder::Appender {
 public:
  explicit Appender(TreeBuilder& builder) : builder_(builder) {}
  ~Appender();
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
  Directory add_directory(DirId parent, std::uint32_t depth, std::string_view name,
                          const Entry& entry);

  // Says something of a directory, which any Appender may have added.
  void mark(DirId directory, Flag flag) {
    if (marks_.empty() || marks_.back() != Mark{directory, flag})
      marks_.push_back({directory, flag});
  }
  void mark_incomplete(DirId directory) { mark(directory, kIncomplete); }

 private:
  TreeBuilder& builder_;
  Tree::NodeChunk* nodes_ = nullptr;  // owned by the builder, as is the next
  Tree::DirectoryChunk* directories_ = nullptr;
  std::uint32_t node_chunk_ = 0;
  std::uint32_t directory_chunk_ = 0;
  std::vector<Mark> marks_;
};

}  // namespace fathom::fs
