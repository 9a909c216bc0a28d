// Candidates: the files of a tree that have the same size as another one.

#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "fathom/fs/tree.h"

namespace fathom::fs {

// A file, and its state when it was first read. Each inode occurs once, under the smallest path
// that is not set aside.
//
// The members that a reader compares are stored here rather than in the tree, where they are in
// four separate columns.
struct Candidate {
  std::uint64_t inode = 0;
  std::int64_t mtime_ns = 0;  // until it was read: the second of the scan
  std::int64_t ctime_ns = 0;  // once it was read
  NodeId node = kNoNode;
  std::uint16_t device = 0;  // its number; see Candidates::device()
  bool read = false;
  bool sparse = false;  // parts of it are not stored
};

class Candidates {
 public:
  // Files of one size: all of them, or those that also have the same name.
  struct Group {
    std::uint64_t size = 0;   // of each file, in bytes
    std::uint32_t first = 0;  // index in files()
    std::uint32_t count = 0;
    std::uint32_t division = kWhole;  // the index of its division, if its size has several groups
    bool recalled = false;            // some of its files are known; see Recollection
  };
  static constexpr std::uint32_t kWhole = 0xffffffff;
  // A size with several groups, each of which fits in one buffer (buffer_size.h).
  struct Division {
    std::uint64_t size = 0;  // of each file, in bytes
    std::uint32_t groups = 0;
  };

  // Takes files of at least min_size bytes, but no names that are set aside (base/set_aside.h).
  Candidates(const Tree& tree, std::uint64_t min_size);

  [[nodiscard]] std::vector<Candidate>& files() { return files_; }
  [[nodiscard]] const std::vector<Candidate>& files() const { return files_; }
  [[nodiscard]] std::uint64_t device(const Candidate& candidate) const {
    return devices_[candidate.device];
  }
  // In the order in which they should be read; the files of successive groups are adjacent.
  [[nodiscard]] std::span<const Group> groups() const { return groups_; }
  [[nodiscard]] std::span<const Division> divisions() const { return divisions_; }

  // Replaces the files by the same in another order, of which only those of the groups are read.
  void rearrange(std::vector<Candidate> files, std::vector<Group> groups) {
    files_ = std::move(files);
    groups_ = std::move(groups);
  }

  // Replaces the numbers of devices that are others now.
  void renumber_devices(const std::map<std::uint64_t, std::uint64_t>& now);

  // The other names of a candidate's inode, in no particular order.
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
