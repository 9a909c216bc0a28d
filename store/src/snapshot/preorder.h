// Preorder: the entries of a tree in the order of a snapshot: each directory before its entries,
// and those ordered by the bytes of their names. So everything below a directory is one interval of
// rows.
//
//   Preorder order(tree, children, first);
//   for (auto rows = order.next(1000); !rows.empty(); rows = order.next(1000)) write(rows);

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "fathom/fs/children.h"
#include "fathom/fs/tree.h"

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

class Preorder {
 public:
  // `first`: the number of the first row. The tree and the children must outlive the order.
  Preorder(const fs::Tree& tree, const fs::Children& children, std::uint64_t first);

  // The next rows, at most `most`, and fewer if their directories have long paths; none at the end.
  [[nodiscard]] std::vector<Row> next(std::size_t most);

 private:
  // An entry that is to be visited. `prefix` has the first bytes of the name, which decide most
  // comparisons.
  struct Waiting {
    std::uint64_t prefix;
    std::string_view name;
    fs::NodeId node;
    fs::DirId directory;
  };
  struct Open {
    std::uint64_t row;
    std::size_t left;  // how many of its entries are still waiting
    std::size_t path;  // the length of its path
  };

  void count_below();
  void add_roots();
  void push(fs::NodeId node, fs::DirId directory);
  void order(std::size_t begin);
  void open(const Waiting& at, std::uint64_t row);

  const fs::Tree& tree_;
  const fs::Children& children_;
  std::uint64_t row_;
  std::vector<std::uint32_t> below_;  // by DirId: how many entries are below
  std::vector<Open> open_;
  std::vector<Waiting> waiting_;  // the next one is the last
};

}  // namespace fathom::store
