// Preorder: the entries of a tree in the order of a snapshot: each directory before its entries,
// and those ordered by the bytes of their names. So everything below a directory is one interval of
// rows.
//
//   const Preorder order(tree, executor);
//   for (std::uint64_t at = 0; at < order.size();) {
//     const std::vector<Row> rows = order.rows(at, 1000);
//     write(rows);
//     at += rows.size();
//   }
//
// It takes 4 bytes per entry and 16 per directory. Any number of threads may read it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "fathom/fs/tree.h"
#include "fathom/rt/executor.h"

namespace fathom::store {

inline constexpr std::uint64_t kNoRow = ~std::uint64_t{0};

// An entry, and its place in the order. Rows are numbered from the first one of the snapshot.
struct Row {
  std::string_view name;  // of a root, its path in the tree
  fs::NodeId node;
  fs::DirId directory;   // kNoDir if it is not a directory
  std::uint64_t parent;  // kNoRow for a root
  std::uint64_t end;     // the row after everything below it
  std::uint32_t depth;   // 0 for a root
};

// Longer paths of directories are not stored: in a very deep tree they would take more space than
// everything else. The kernel accepts no longer ones either (PATH_MAX).
inline constexpr std::size_t kMostPath = 4095;

// How many bytes the paths of the directories in consecutive rows that are written together may
// have, about.
inline constexpr std::size_t kMostPaths = std::size_t{16} << 20;

// Rows of a snapshot, and a tree that has their entries and the directories above them.
struct RowGroup {
  fs::Tree tree;
  std::vector<Row> rows;
};

// What a Preorder keeps.
struct OrderTables {
  std::vector<fs::NodeId> nodes;       // by row
  std::vector<fs::DirId> directories;  // in the order of their rows
  // By DirId.
  std::vector<std::uint32_t> row_of;
  std::vector<std::uint32_t> below;        // how many entries are below
  std::vector<std::uint32_t> path_length;  // at most kMostPath + 1
};

class Preorder {
 public:
  // The tree must outlive the order. The calling thread takes part in the work of the executor.
  // Rows are numbered from `first`.
  Preorder(const fs::Tree& tree, rt::Executor& executor, std::uint64_t first = 0);

  [[nodiscard]] std::uint64_t size() const { return tables_.nodes.size(); }

  // The rows from the one at `begin`, which counts from 0: at most `most`, and fewer if their
  // directories have long paths; none at the end.
  [[nodiscard]] std::vector<Row> rows(std::uint64_t begin, std::size_t most) const;

 private:
  const fs::Tree& tree_;
  const std::uint64_t first_;
  const OrderTables tables_;
};

}  // namespace fathom::store
