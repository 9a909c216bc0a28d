#include "fathom/fs/tree_builder.h"

#include <limits>
#include <utility>

#include "fathom/base/error.h"
#include "fathom/base/memory_tag.h"
#include "settle.h"
#include "tree_chunks.h"

namespace fathom::fs {

namespace {

// The number of a new chunk at the end, which the caller may fill alone.
template <class Chunk>
std::uint32_t take_chunk(std::vector<std::unique_ptr<Chunk>>& chunks, std::uint32_t rows) {
  const base::MemoryTag tag("tree");
  // The last chunk is never handed out: its last row would be kNoNode.
  if (chunks.size() >= (std::uint64_t{1} << 32) / rows - 1) {
    throw base::Error("this tree has more than 4 billion entries: scan its parts one by one");
  }
  chunks.push_back(std::make_unique<Chunk>());
  return static_cast<std::uint32_t>(chunks.size() - 1);
}

}  // namespace

TreeBuilder::Appender::~Appender() {
  const std::lock_guard lock(builder_.mutex_);
  builder_.marks_.insert(builder_.marks_.end(), marks_.begin(), marks_.end());
}

NodeId TreeBuilder::Appender::add(DirId parent, std::string_view name, const Entry& entry) {
  if (nodes_ == nullptr || nodes_->rows == Tree::kRows) {
    const std::lock_guard lock(builder_.mutex_);
    node_chunk_ = take_chunk(builder_.tree_.nodes_, Tree::kRows);
    nodes_ = builder_.tree_.nodes_[node_chunk_].get();
  }
  Tree::NodeChunk& chunk = *nodes_;
  // May throw; nothing counts until rows grows.
  const std::size_t names_end = chunk.names.size() + name.size();
  if (names_end > chunk.names.capacity()) chunk.make_room(2 * names_end);
  chunk.names += name;
  const std::uint32_t row = chunk.rows;
  chunk.name_ends[row] = static_cast<std::uint32_t>(chunk.names.size());
  chunk.parents[row] = parent;
  chunk.sizes[row] = entry.size;
  chunk.blocks[row] = entry.blocks;
  chunk.inodes[row] = entry.inode;
  chunk.devices[row] = entry.device;
  chunk.mtimes[row] = entry.mtime;
  chunk.uids[row] = entry.uid;
  chunk.gids[row] = entry.gid;
  chunk.links[row] = entry.links;
  chunk.modes[row] = entry.mode;
  chunk.flags[row] = 0;
  chunk.rows = row + 1;
  return node_chunk_ << Tree::kRowBits | row;
}

NodeId TreeBuilder::Appender::add_link(DirId parent, std::string_view name, const Entry& entry,
                                       const LinkTarget& target) {
  const NodeId node = add(parent, name, entry);
  Tree::NodeChunk& chunk = *nodes_;
  const std::size_t begin = chunk.target_paths.size();
  chunk.target_paths += target.path;
  chunk.targets.push_back({.begin = begin,
                           .length = static_cast<std::uint32_t>(target.path.size()),
                           .row = static_cast<std::uint16_t>(node & (Tree::kRows - 1)),
                           .end = target.end});
  return node;
}

TreeBuilder::Appender::Directory TreeBuilder::Appender::add_directory(DirId parent,
                                                                      std::uint32_t depth,
                                                                      std::string_view name,
                                                                      const Entry& entry) {
  if (directories_ == nullptr || directories_->rows == Tree::kDirectories) {
    const std::lock_guard lock(builder_.mutex_);
    directory_chunk_ = take_chunk(builder_.tree_.directories_, Tree::kDirectories);
    directories_ = builder_.tree_.directories_[directory_chunk_].get();
  }
  const NodeId node = add(parent, name, entry);
  Tree::DirectoryChunk& chunk = *directories_;
  const std::uint32_t row = chunk.rows;
  chunk.nodes[row] = node;
  chunk.parents[row] = parent;
  chunk.depths[row] = depth;
  chunk.rows = row + 1;
  return {.node = node, .id = directory_chunk_ << Tree::kDirectoryBits | row};
}

Tree TreeBuilder::finish(std::vector<NodeId> roots) {
  const base::MemoryTag tag("tree");
  const std::lock_guard lock(mutex_);
  Tree tree = std::exchange(tree_, Tree());
  tree.roots_ = std::move(roots);
  const auto flag = [&tree](NodeId node, Flag value) {
    tree.nodes_[node >> Tree::kRowBits]->flags[node & (Tree::kRows - 1)] |= value;
  };
  for (const Mark& mark : std::exchange(marks_, {})) flag(tree.node(mark.directory), mark.flag);
  settle(tree, flag);
  return tree;
}

}  // namespace fathom::fs
