// Candidates: the files of a tree that have the size of another one.

#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fathom/fs/tree.h"

namespace fathom::fs {

// A file, and the state in which it was first read. Each inode is one, under its smallest path.
//
// What a reader compares stands here and not in the tree, where it would be in four columns.
struct Candidate {
  std::uint64_t inode = 0;
  std::int64_t mtime_ns = 0;  // until it was read, of the scanned second
  std::int64_t ctime_ns = 0;  // once it was read
  NodeId node = kNoNode;
  std::uint16_t device = 0;  // the number of it: see Candidates::device()
  bool read = false;
};

class Candidates {
 public:
  // Files of one size: all of them, or those that have the same name, too.
  struct Group {
    std::uint64_t size = 0;   // of each file, in bytes
    std::uint32_t first = 0;  // of files()
    std::uint32_t count = 0;
    std::uint32_t division = kWhole;  // the number of its size, where there are more groups of it
  };
  static constexpr std::uint32_t kWhole = 0xffffffff;
  // A size of which there are several groups, each of which can be read at once (buffer_size.h).
  struct Division {
    std::uint64_t size = 0;  // of each file, in bytes
    std::uint32_t groups = 0;
  };

  // Of files of min_size bytes and more.
  Candidates(const Tree& tree, std::uint64_t min_size);

  [[nodiscard]] std::vector<Candidate>& files() { return files_; }
  [[nodiscard]] const std::vector<Candidate>& files() const { return files_; }
  [[nodiscard]] std::uint64_t device(const Candidate& candidate) const {
    return devices_[candidate.device];
  }
  // In the order in which they should be read; the files of each are next to those of the last.
  [[nodiscard]] std::span<const Group> groups() const { return groups_; }
  [[nodiscard]] std::span<const Division> divisions() const { return divisions_; }

  // The other names of a candidate's inode, in no order.
  [[nodiscard]] std::vector<NodeId> other_names(const Tree& tree, NodeId node) const;

 private:
  struct Name {
    std::uint64_t device;
    std::uint64_t inode;
    NodeId node;
    bool operator<(const Name& other) const {
      return std::pair(device, inode) < std::pair(other.device, other.inode);
    }
  };

  Candidate candidate(const Tree& tree, NodeId node);

  std::vector<Candidate> files_;
  std::vector<Group> groups_;
  std::vector<Division> divisions_;
  std::vector<std::uint64_t> devices_;
  std::vector<Name> extra_names_;  // sorted
};

}  // namespace fathom::fs
