// TreeBuilder: appending rows to chunks, and joining the chunks into a tree.

#include "fathom/fs/tree_builder.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "fathom/base/error.h"
#include "fathom/base/memory_tag.h"
#include "tree/link_resolution.h"
#include "tree/snapshot_trimmer.h"

namespace fathom::fs {

namespace {

// Adds a chunk that only the caller fills, and returns its number.
template <class Chunk, class... Arguments>
std::uint32_t take_chunk(std::vector<std::shared_ptr<Chunk>>& chunks, std::uint32_t rows,
                         Arguments... arguments) {
  const base::MemoryTag tag("tree");
  // The last chunk is never used: its last row would be kNoNode.
  if (chunks.size() >= (std::uint64_t{1} << 32) / rows - 1) {
    throw base::Error("this tree has more than 4 billion entries: scan parts of it");
  }
  chunks.push_back(std::make_shared<Chunk>(arguments...));
  return static_cast<std::uint32_t>(chunks.size() - 1);
}

std::uint32_t block_size(unsigned bits) {
  return (1U << bits) - 1;
}

}  // namespace

NodeId TreeBuilder::Appender::add(DirId parent, std::string_view name, const Entry& entry) {
  std::uint32_t row = rows();
  if (row == Tree::kRows || name.size() > names_left_) {
    make_room(name.size());
    row = rows();
  }
  const auto length = static_cast<std::uint32_t>(name.size());
  std::memcpy(names_, name.data(), length);
  names_ += length;
  names_left_ -= length;
  names_end_ += length;
  Tree::NodeChunk& chunk = *nodes_;
  chunk.name_ends[row] = names_end_;
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
  if (chunk.times != nullptr) chunk.times[row] = entry.times;
  chunk.rows.store(row + 1, base::memory_order_release);  // [A1] pairs with written_nodes()
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
                                                                      const Entry& entry,
                                                                      std::uint8_t flags) {
  if (directories_ == nullptr ||
      directories_->rows.load(base::memory_order_relaxed) == Tree::kDirectories) {
    const std::lock_guard lock(builder_.mutex_);
    directory_chunk_ = take_chunk(builder_.directories_, Tree::kDirectories);
    directories_ = builder_.directories_[directory_chunk_].get();
  }
  const NodeId node = add(parent, name, entry);
  Tree::DirectoryChunk& chunk = *directories_;
  const std::uint32_t row = chunk.rows.load(base::memory_order_relaxed);
  chunk.nodes[row] = node;
  chunk.parents[row] = parent;
  chunk.depths[row] = depth;
  chunk.marks[row].store(flags, base::memory_order_relaxed);
  chunk.rows.store(row + 1, base::memory_order_release);  // [A1] pairs with written()
  return {.node = node, .id = directory_chunk_ << Tree::kDirectoryBits | row};
}

// Written rows of the chunk, or the maximum if there is no chunk.
std::uint32_t TreeBuilder::Appender::rows() const {
  return nodes_ == nullptr ? Tree::kRows : nodes_->rows.load(base::memory_order_relaxed);
}

// Makes room for a row with a name of that length, in the chunk or in a new one. If it throws,
// nothing was added.
void TreeBuilder::Appender::make_room(std::size_t name) {
  const bool fits = rows() < Tree::kRows && name_blocks_ < Tree::NodeChunk::kNameBlocks &&
                    name <= block_size(nodes_->name_bits);
  if (!fits) take_nodes(name);
  add_name_block();
}

void TreeBuilder::Appender::take_nodes(std::size_t name) {
  constexpr unsigned kBits = Tree::NodeChunk::kNameBits;
  const unsigned bits = std::max<unsigned>(kBits, static_cast<unsigned>(std::bit_width(name)));
  if (bits > Tree::NodeChunk::kMostNameBits) {
    throw base::Error("a name of " + std::to_string(name) + " bytes is too long for a tree");
  }
  const std::lock_guard lock(builder_.mutex_);
  node_chunk_ = take_chunk(builder_.nodes_, Tree::kRows, bits, builder_.keeps_times_);
  nodes_ = builder_.nodes_[node_chunk_].get();
  name_blocks_ = names_left_ = names_end_ = 0;
}

void TreeBuilder::Appender::add_name_block() {
  const base::MemoryTag tag("names");
  Tree::NodeChunk& chunk = *nodes_;
  const std::uint32_t size = block_size(chunk.name_bits);
  std::unique_ptr<char[]>& block = chunk.names[name_blocks_];
  block = std::make_unique_for_overwrite<char[]>(size);
  names_ = block.get();
  names_left_ = size;
  names_end_ = name_blocks_ << chunk.name_bits;
  ++name_blocks_;
}

void TreeBuilder::Appender::mark_anew(DirId directory, NodeFlag flag) {
  const std::uint32_t at = directory >> Tree::kDirectoryBits;
  Tree::DirectoryChunk* chunk = directories_;
  if (chunk == nullptr || at != directory_chunk_) {
    const std::lock_guard lock(builder_.mutex_);
    chunk = builder_.directories_[at].get();
  }
  base::atomic<std::uint8_t>& marks = chunk->marks[directory & (Tree::kDirectories - 1)];
  if ((marks.load(base::memory_order_relaxed) & flag) == 0) {
    marks.fetch_or(flag, base::memory_order_relaxed);
  }
  marked_ = directory;
  mark_ = flag;
}

Tree TreeBuilder::take() {
  const std::lock_guard lock(mutex_);
  Tree tree = written();
  nodes_.clear();
  directories_.clear();
  return tree;
}

Tree TreeBuilder::finish(std::vector<NodeId> roots) {
  const base::MemoryTag tag("tree");
  Tree tree = take();
  tree.roots_ = std::move(roots);
  set_flags(tree);
  return tree;
}

Tree TreeBuilder::finish_as_marked(std::span<const Marked> marked) {
  const base::MemoryTag tag("tree");
  Tree tree = take();
  set_directory_flags(tree);
  for (const Marked& one : marked) tree.flags_[one.node] = one.flags;
  return tree;
}

Tree TreeBuilder::snapshot(std::span<const base::atomic<NodeId>> roots) {
  const base::MemoryTag tag("tree");
  Tree tree;
  NodeRows known;
  {
    const std::lock_guard lock(mutex_);  // no new chunks between the counts
    known = written_nodes();
    tree = written();
  }
  for (const auto& root : roots) tree.roots_.push_back(root.load(base::memory_order_relaxed));
  tree.knows_targets_ = false;
  SnapshotTrimmer(tree, known).run();
  set_flags(tree);
  return tree;
}

TreeBuilder::NodeRows TreeBuilder::written_nodes() const {
  NodeRows rows;
  rows.reserve(nodes_.size());
  for (const auto& chunk : nodes_) {
    rows.push_back(chunk->rows.load(base::memory_order_acquire));  // [A1] pairs with add()
  }
  return rows;
}

// Everything that exists; of each chunk the rows that were written when its turn came.
Tree TreeBuilder::written() const {
  Tree tree;
  tree.directories_.assign(directories_.begin(), directories_.end());
  tree.directory_rows_.reserve(directories_.size());
  for (const auto& chunk : directories_) {
    // [A1] pairs with add_directory()
    tree.directory_rows_.push_back(chunk->rows.load(base::memory_order_acquire));
  }
  tree.nodes_.assign(nodes_.begin(), nodes_.end());
  tree.node_rows_ = written_nodes();
  return tree;
}

void TreeBuilder::set_directory_flags(Tree& tree) {
  tree.flags_.resize(tree.nodes_.size() << Tree::kRowBits);
  for (std::size_t at = 0; at < tree.directories_.size(); ++at) {
    const Tree::DirectoryChunk& chunk = *tree.directories_[at];
    for (std::uint32_t row = 0; row < tree.directory_rows_[at]; ++row) {
      const std::uint8_t marks = chunk.marks[row].load(base::memory_order_relaxed);
      if (marks != 0) tree.flags_[chunk.nodes[row]] = marks;
    }
  }
}

void TreeBuilder::set_flags(Tree& tree) {
  set_directory_flags(tree);
  resolve_hard_links_and_repeats(
      tree, [&tree](NodeId node, NodeFlag flag) { tree.flags_[node] |= flag; });
}

}  // namespace fathom::fs
