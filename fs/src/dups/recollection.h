// Recollection: what earlier searches found out about the candidates, and what this one adds.
//
// Of the files of a size, there are three cases:
//   - None is known: they are compared as if there was no memory.
//   - All are known, and the known contents differ: nothing is read.
//   - Otherwise the unknown ones are compared with one file of each known content. Most of them
//     differ in the hash of their beginning, which is remembered, so that only the beginning of
//     unknown files is read, and then what may be equal.
// A file that is read for its content is replaced by another one of that content if it changes or
// cannot be read meanwhile.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dups/candidates.h"
#include "fathom/fs/compared_files.h"
#include "fathom/fs/tree.h"

namespace fathom::fs {

class Recollection {
 public:
  using FileNumber = std::uint32_t;  // index in candidates.files()

  // Rearranges the candidates: their groups contain what must be read. The tree has exact times.
  // All must outlive it.
  Recollection(const Tree& tree, Candidates& candidates, const DuplicateMemory& memory);

  // ---- What was known. Any thread may call these.

  // The candidates that are known to have the same content, including this one. If one of them is
  // in a group, it is the first.
  [[nodiscard]] std::span<const FileNumber> same_as(const FileNumber& file) const;

  // A hash of the beginning of a known file.
  [[nodiscard]] std::optional<std::uint32_t> begin_hash(FileNumber file) const;

  // Whether all of them are known, and known to differ from each other.
  [[nodiscard]] bool are_apart(std::span<const FileNumber> files) const;

  // Of each content that two or more candidates are known to have, the first.
  [[nodiscard]] std::vector<FileNumber> repeated_contents() const;
  [[nodiscard]] std::size_t known_files() const { return members_.size(); }

  // ---- What is found out

  // The beginning of a file, of at least min(its size, 4,096) bytes. Any thread may call it, once
  // for each file.
  void note_begin(FileNumber file, std::span<const std::byte> bytes);

  // These files are equal. One thread at a time may call this and the next.
  void note_equal(std::span<const FileNumber> files);
  [[nodiscard]] bool is_noted_equal(FileNumber file) const { return equals_[file] != kNone; }

  // What later searches may know. Call it after all files have been compared, except for those that
  // were dropped.
  [[nodiscard]] ComparedFiles learned(const std::function<bool(FileNumber)>& dropped) const;

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  class Arranging;

  struct Content {
    std::uint32_t first;  // index in members_
    std::uint32_t count;
  };

  void number_filesystems();
  [[nodiscard]] const ComparedFile* known_state(const Candidate& file) const;
  [[nodiscard]] std::optional<ComparedFile> learned_of(FileNumber file) const;

  const Tree& tree_;
  Candidates& candidates_;
  const DuplicateMemory& memory_;
  std::vector<std::string> filesystems_;           // those of the memory, then others
  std::map<std::uint64_t, std::uint16_t> places_;  // of devices: index in filesystems_
  std::vector<Content> contents_;                  // that are known
  std::vector<FileNumber> members_;                // of the contents

  // By FileNumber.
  std::vector<const ComparedFile*> known_;  // or null
  std::vector<std::uint32_t> contents_of_;  // index in contents_, or kNone
  std::vector<std::uint32_t> begins_;       // hashes, of files that were read
  std::vector<std::uint32_t> equals_;       // a number for equal files of this search, or kNone
  std::uint32_t settled_ = 0;               // from this file on, nothing of its size is read
  std::uint32_t numbers_ = 0;               // in equals_
};

}  // namespace fathom::fs
