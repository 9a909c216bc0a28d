// Verification: compares many files of equal hashes with the first of them, in parts.
//
// Each part has the first file, and as many others as share a buffer with it. Files that differ
// from the first one are compared among themselves when all parts have ended.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "dups/file_class.h"
#include "dups/findings.h"

namespace fathom::fs {

class Verification {
 public:
  using FileNumber = Findings::FileNumber;

  // The parts of a class of two or more files, each of at most `most` files. They share a
  // verification.
  static std::vector<FileClass> parts(FileClass files, std::size_t most);

  struct Progress {
    std::size_t unread = 0;       // files of this part that cannot be compared
    std::vector<FileClass> next;  // classes to go on with
  };

  // Takes the classes that a part split into, by label (same_content.h). Any thread may call it,
  // once per step of a part.
  Progress add(const FileClass& part,
               const std::map<std::uint32_t, std::vector<FileNumber>>& classes);

 private:
  std::vector<FileClass> end();

  FileClass files_;
  std::mutex mutex_;  // guards what follows
  std::size_t parts_left_ = 0;
  bool first_failed_ = false;      // reading it failed
  std::vector<FileNumber> equal_;  // to the first
  std::vector<FileNumber> rest_;   // to be compared among themselves
};

}  // namespace fathom::fs
