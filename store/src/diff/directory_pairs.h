// DirectoryPairs: which directories of two snapshots belong together, and which of them must be
// compared entry by entry.
//
// Directories with the same path and identity are pairs. Those whose hashes are equal are skipped.
// What is left over on both sides is matched by identity: a directory that was moved, and its
// contents again by name. Then, what is left over at the same path is a pair, too: a directory that
// was replaced. The rest was removed or created.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diff/row_reader.h"
#include "fathom/base/saturating.h"
#include "fathom/fs/measure.h"
#include "fathom/rt/executor.h"
#include "fathom/store/diff.h"
#include "snapshot/directory_table.h"
#include "snapshot/preorder.h"

namespace fathom::store {

// Adds bytes to a sum, which saturates.
inline void charge(std::uint64_t& sum, std::uint64_t bytes) {
  sum = base::saturating_add(sum, bytes);
}

// A directory of the result. A moved one has two: where it was, and where it is.
struct DiffNode {
  using Index = std::uint32_t;
  static constexpr Index kNone = std::numeric_limits<Index>::max();

  Index parent = kNone;
  DiffDirectory::State state = DiffDirectory::State::kept;
  bool hidden = false;            // inside of a directory that moved as a whole
  std::uint64_t before = kNoRow;  // its row in dirs.parquet of the snapshot before, if it has one
  std::uint64_t after = kNoRow;   // the same after
  Balance balance = {};
  std::uint64_t moved_within = 0;  // of the moves of which it is the lowest common directory
};

// The rows of entries.parquet that are below DiffOptions::path, on each side.
struct ComparedRows {
  RowInterval before;
  RowInterval after;
};

// Whether something was moved out of ComparedRows, or into them.
enum class Crossing : std::uint8_t { none, out, in };

// Directories whose own rows must be compared. One of them may be missing. If that is the later one
// of a move, the rows are the same on both sides, and only the sums of groups are about them.
struct DirectoryPair {
  std::uint64_t before = kNoRow;  // rows of dirs.parquet
  std::uint64_t after = kNoRow;
  DiffNode::Index from = DiffNode::kNone;  // the node to which losses are charged
  DiffNode::Index to = DiffNode::kNone;    // and that for gains; the same unless it was moved
  bool moved = false;
  bool replaced = false;               // it, or the directory that it is in
  Crossing crossing = Crossing::none;  // of a moved one
};

// A directory that was found at another path.
struct DirectoryMove {
  DiffNode::Index from;
  DiffNode::Index to;
};

// Directories at the same path that are on different filesystems, although those that they are in
// are not, or not on the same two.
struct OtherFilesystem {
  DiffNode::Index parent = DiffNode::kNone;  // the node of the directory that they are in now
  std::uint64_t before = kNoRow;             // rows of dirs.parquet
  std::uint64_t after = kNoRow;
};

class DirectoryPairs {
 public:
  // `bytes`: the column with the sizes. `part`: if moves into it and out of it must be known.
  DirectoryPairs(DirectoryTable& before, DirectoryTable& after, DirectoryColumn bytes,
                 const std::optional<ComparedRows>& part, rt::Executor& executor);

  // Compares these roots: a row of each table, or kNoRow where one is missing.
  void run(std::span<const std::pair<std::uint64_t, std::uint64_t>> roots);

  // The first node is above the roots. Parents come before what they contain.
  [[nodiscard]] std::vector<DiffNode>& nodes() { return nodes_; }
  [[nodiscard]] const std::vector<DirectoryPair>& pairs() const { return pairs_; }
  [[nodiscard]] const std::vector<DirectoryMove>& moves() const { return moves_; }
  // The upper ones first.
  [[nodiscard]] const std::vector<OtherFilesystem>& other_filesystems() const {
    return other_filesystems_;
  }

 private:
  // A directory that was at a place where nothing is now, or in one that was.
  struct Lost {
    DiffNode::Index node = DiffNode::kNone;
    std::uint64_t parent = kNoRow;
    bool found = false;    // it is part of a pair
    bool touched = false;  // something in it is part of another pair
  };

  // A directory without a partner at its path, and the node of its parent.
  struct Alone {
    std::uint64_t row;
    DiffNode::Index parent;
    std::uint64_t namesake = kNoRow;  // what was at its path, if that was another directory
  };

  void compare_in_place(std::vector<DirectoryPair> level);
  void prefetch_subdirectories(std::span<const DirectoryPair> pairs);
  void collect_lost();
  void collect_gained();
  void place_gained();
  void place(const Alone& gained);
  void create(const Alone& gained);
  void replace(const Alone& gained);
  void expand(const DirectoryPair& pair, std::vector<DirectoryPair>& below);
  void match_subdirectories(const DirectoryPair& pair, std::vector<DirectoryPair>& below);
  void compare_filesystems(const DirectoryPair& parent, std::uint64_t before, std::uint64_t after);
  void expand_known(const DirectoryPair& pair);
  bool take_whole(const DirectoryPair& pair);
  void carry(const DirectoryPair& pair, std::uint64_t row);
  void find_lost(std::uint64_t row);
  void report_lost();
  [[nodiscard]] DirectoryPair pair_in(const DirectoryPair& parent, std::uint64_t before,
                                      std::uint64_t after);
  [[nodiscard]] Crossing crossing_of(const DirectoryPair& pair, std::uint64_t row);
  [[nodiscard]] bool equal_inside(std::uint64_t before, std::uint64_t after);
  [[nodiscard]] bool may_be_same(std::uint64_t before, std::uint64_t after);
  [[nodiscard]] DiffNode::Index add_node(const DiffNode& node);
  [[nodiscard]] EntryIdentity identity_of(DirectoryTable& table, std::uint64_t row) const;
  [[nodiscard]] EntryIdentity movable_identity(DirectoryTable& table, std::uint64_t row) const;
  [[nodiscard]] std::uint64_t own_bytes(DirectoryTable& table, std::uint64_t row) const;

  DirectoryTable& before_;
  DirectoryTable& after_;
  const DirectoryColumn bytes_;
  const std::optional<ComparedRows> part_;
  rt::Executor& executor_;
  std::vector<DiffNode> nodes_;
  std::vector<DirectoryPair> pairs_;
  std::vector<DirectoryMove> moves_;
  std::vector<OtherFilesystem> other_filesystems_;

  std::vector<Alone> lost_roots_;
  std::deque<Alone> gained_;
  std::deque<Alone> maybe_replaced_;    // with a namesake, which may still be found elsewhere
  std::map<std::uint64_t, Lost> lost_;  // by row
  std::map<EntryIdentity, std::uint64_t> lost_by_identity_;
  std::set<EntryIdentity> gained_identities_;
};

}  // namespace fathom::store
