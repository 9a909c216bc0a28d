// InodeTable: metadata of the inodes of a filesystem that were read in bulk.
//
// Inode numbers are mostly consecutive, so 64 of them share an index entry: an inode takes 57 to 80
// bytes. Threads fill parts of their own; each part has its inodes in ascending order, and parts do
// not overlap.
//
//   InodeTable::Part part;
//   part.add(12, inode);
//   InodeTable table(std::move(parts));
//   const Inode* found = table.find(12);

#pragma once

#include <cstdint>
#include <vector>

#include "fathom/fs/tree.h"

namespace fathom::fs {

// What stat(2) says about an inode, without the device and its own number. Times are in nanoseconds
// since the epoch.
struct Inode {
  std::uint64_t size = 0;
  std::uint64_t blocks = 0;  // of kBlockBytes
  std::int64_t mtime = 0;
  std::int64_t ctime = 0;
  std::int64_t btime = kUnknownTime;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint32_t links = 0;
  std::uint16_t mode = 0;  // 0: unknown, or in doubt

  // The same as os::stat_at() returns.
  [[nodiscard]] Entry entry(std::uint64_t number, std::uint64_t device) const;
};

class InodeTable {
 public:
  class Part {
   public:
    // Room for so many inodes, so that adding them moves none.
    void reserve(std::size_t inodes) { inodes_.reserve(inodes); }
    // The numbers must ascend.
    void add(std::uint64_t number, const Inode& inode);
    // Takes back an inode: it is unknown from now on.
    void forget(std::uint64_t number);
    [[nodiscard]] const Inode* find(std::uint64_t number) const;
    [[nodiscard]] bool empty() const { return inodes_.empty(); }
    [[nodiscard]] std::size_t size() const { return inodes_.size(); }
    [[nodiscard]] std::uint64_t first() const { return first_; }  // the lowest number

   private:
    // The inodes with the numbers from `number` to `number` + 63.
    struct Group {
      std::uint64_t number;
      std::uint64_t known;  // bit i: number + i is in the table
      std::uint64_t first;  // where the first of them is
    };

    std::vector<Group> groups_;
    std::vector<Inode> inodes_;
    std::uint64_t first_ = 0;
  };

  InodeTable() = default;
  explicit InodeTable(std::vector<Part> parts);

  // Null if the inode is unknown.
  [[nodiscard]] const Inode* find(std::uint64_t number) const;
  void forget(std::uint64_t number);
  [[nodiscard]] std::uint64_t size() const;

 private:
  [[nodiscard]] std::size_t part_of(std::uint64_t number) const;

  std::vector<Part> parts_;  // ascending, none empty
};

}  // namespace fathom::fs
