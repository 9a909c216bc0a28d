// Comparison: determines which candidates are equal.
//
// A class is a set of files that are equal in everything compared so far. The next bytes of all its
// files are read into one buffer and compared there, and the class is split where they differ. So
// each byte is read once, no file stays open, and reading a file stops as soon as it has no equal
// left. A class of large files uses many buffers at the same time (wave.h), which are compared
// independently. Many small groups share one buffer.
//
// Where all files of a class have holes, these are skipped.
//
// If the files of a size are divided into several groups, only contents whose hash occurs in
// another group are read again and compared (divided_sizes.h).
//
// If the files of a class would be read in many small segments, they are hashed first, block by
// block, to find those worth comparing; these are then compared with one of them, in parts
// (verification.h). Such files are read twice.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "dups/candidates.h"
#include "dups/divided_sizes.h"
#include "dups/file_class.h"
#include "dups/findings.h"
#include "dups/reader.h"
#include "dups/recollection.h"
#include "dups/work_slots.h"
#include "fathom/base/atomic.h"
#include "fathom/rt/cancel.h"

namespace fathom::fs {

class Comparison {
 public:
  // Begins no further work after the token is cancelled. Notifies the observer, if any, of the
  // phases "read" and "compare".
  // `recollection`: null if there is none.
  Comparison(const Candidates& candidates, Reader& reader, Findings& findings,
             const Recollection* recollection, rt::CancelToken cancel,
             const rt::Observer* observer);

  // As WorkSlots has them. Start with two slots per processor, and at least one per thread.
  void start(rt::Executor& executor, unsigned slots) { slots_.start(executor, slots); }
  void grow(unsigned slots) { slots_.grow(slots); }
  bool wait_for(std::chrono::milliseconds duration) { return slots_.wait_for(duration); }

  // Reports equal files that were still waiting to be compared with others. Call it after a
  // cancelled comparison has ended.
  void end_early() { divided_sizes_.end_early(); }

  // Candidates, and their bytes, that have been read or do not have to be.
  [[nodiscard]] std::uint64_t files_done() const {
    return files_done_.load(base::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t bytes_done() const {
    return bytes_done_.load(base::memory_order_relaxed);
  }

 private:
  using FileNumber = Findings::FileNumber;
  class Groups;

  std::unique_ptr<WorkItem> next_groups();
  void compare(const Candidates::Group& group, std::span<const std::span<std::byte>> blocks);
  void go_on(FileClass next);
  void skip_holes(const FileClass& files, std::uint64_t& offset) const;
  void split(const FileClass& parent, std::span<const std::uint32_t> labels);
  void split_part(const FileClass& part,
                  const std::map<std::uint32_t, std::vector<FileNumber>>& classes);
  [[nodiscard]] bool is_done(const FileClass& files) const;
  void add_bytes_done(std::uint64_t of_each, std::size_t files);
  void count_done(const FileClass& of, std::size_t files);

  const Candidates& candidates_;
  Reader& reader_;
  Findings& findings_;
  const Recollection* const recollection_;
  DividedSizes divided_sizes_;
  std::size_t next_group_ = 0;  // index of the next candidate group; only next_groups() uses it
  base::atomic<std::uint64_t> files_done_{0};
  base::atomic<std::uint64_t> bytes_done_{0};
  WorkSlots slots_;  // last: its work uses all other members
};

}  // namespace fathom::fs
