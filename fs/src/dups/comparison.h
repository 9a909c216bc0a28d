// Comparison: determines which candidates are equal.
//
// A class is a set of files that are equal in everything compared so far. The next bytes of all its
// files are read into one buffer and compared there, and the class is split where they differ. So
// each byte is read once, no file stays open, and reading a file stops as soon as it has no equal
// left. A class of large files uses many buffers at the same time (a wave), which are compared
// independently. Many small groups share one buffer.
//
// If the files of a size are divided into several groups, the contents of each group are hashed,
// and contents whose hash occurs in another group are read again and compared.
//
// If a class has more files than fit in a buffer, they are hashed first, block by block, to find
// those worth comparing; these are then compared with one of them, in parts. Such files are read
// twice.
//
// Reading and comparing are tasks of a TaskScheduler, in one channel each. A slot has a buffer, and
// one work item at a time.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "candidates.h"
#include "fathom/base/atomic.h"
#include "fathom/base/mutex.h"
#include "fathom/fs/duplicates.h"
#include "fathom/rt/cancel.h"
#include "fathom/rt/task_runner.h"
#include "findings.h"
#include "reader.h"

namespace fathom::fs {

class Comparison {
 public:
  // Begins no further work after the token is cancelled. Notifies the observer, if any, of the
  // phases "read" and "compare".
  Comparison(const Candidates& candidates, Reader& reader, Findings& findings,
             rt::CancelToken cancel, const rt::Observer* observer);
  Comparison(const Comparison&) = delete;
  Comparison& operator=(const Comparison&) = delete;
  ~Comparison();  // stops, and waits for running tasks

  // Begins with that many slots; use two per processor, and at least one per thread.
  void start(rt::Executor& executor, unsigned slots);
  // Raises the number of slots. Call it on the thread that called start().
  void grow(unsigned slots);
  // Waits at most about that long; returns whether all work is done. Throws what a task threw, for
  // example std::bad_alloc.
  bool wait_for(std::chrono::milliseconds duration);

  // Reports equal files that were still waiting to be compared with others. Call it after a
  // cancelled comparison has ended.
  void end_early();

  // Candidates, and their bytes, that have been read or do not have to be.
  [[nodiscard]] std::uint64_t files_done() const {
    return files_done_.load(base::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t bytes_done() const {
    return bytes_done_.load(base::memory_order_relaxed);
  }

 private:
  using FileNumber = Findings::FileNumber;
  struct Verification;
  struct Division;

  struct Class {
    std::vector<FileNumber> files;
    std::uint64_t size = 0;                 // of each, in bytes
    std::uint64_t compared = 0;             // this many of their bytes are equal
    std::uint64_t hashed = 0;               // this many bytes have equal hashes
    std::shared_ptr<Verification> part_of;  // the verification that it is part of, or null
  };

  // A read of a class that several work items share. The thread that finishes the last one ends the
  // wave.
  struct Wave {
    Class files;
    std::uint64_t begin = 0;                         // offset in each file, in bytes
    std::size_t length = 0;                          // of a segment, in bytes
    std::vector<std::vector<std::uint32_t>> labels;  // of each segment, from same_content()
    std::vector<std::uint64_t> hashes;               // or for each file
    std::vector<std::uint8_t> was_read;              // with hashes: whether each hash is valid
    base::atomic<std::size_t> pieces_left{0};
  };

  // One work item at a time, and its buffer.
  struct Slot;
  struct Work;
  struct Groups;   // of the candidates, whole
  struct Segment;  // of all files of a wave
  struct Hashing;  // of some files of a wave

  void assign_work(Slot& slot) noexcept;
  bool begin_work(Slot& slot);
  std::unique_ptr<Work> next_work();
  std::unique_ptr<Work> next_groups();
  void add_work(std::vector<std::unique_ptr<Work>> work);
  void fail(std::exception_ptr error) noexcept;
  [[nodiscard]] bool is_over() const noexcept {
    return stopped_.load(base::memory_order_relaxed) || cancel_.cancelled();
  }

  void read(Slot& slot, const Groups& groups);
  void read(Slot& slot, const Segment& segment);
  void read(Slot& slot, const Hashing& hashing);
  void compare(Slot& slot, const Groups& groups);
  void compare(Slot& slot, const Segment& segment);
  void compare(Slot& slot, const Hashing& hashing);

  void add_contents(Division& division, const Candidates::Group& group,
                    std::span<const std::span<std::byte>> blocks);
  void end_division(Division& division);

  void end_segments(Wave& wave);
  void end_hashing(Wave& wave);

  void split(const Class& parent, std::span<const std::uint32_t> labels);
  void go_on(Class next);
  void begin_segments(Class next);
  void begin_hashing(Class next);
  void finish(const Class& equal);
  void count_done(const Class& of, std::size_t files);

  void begin_parts(Class next);
  void split_part(const Class& parent,
                  const std::map<std::uint32_t, std::vector<FileNumber>>& classes);
  void end_parts(Verification& all);

  const Candidates& candidates_;
  Reader& reader_;
  Findings& findings_;
  const rt::CancelToken cancel_;
  const rt::Observer* const observer_;

  std::vector<std::unique_ptr<Division>> divisions_;  // as the candidates have; each has a mutex

  base::Mutex mutex_ = base::named_mutex("dups: work");  // guards what follows
  std::deque<std::unique_ptr<Work>> work_;               // work of classes that were begun
  std::size_t next_group_ = 0;                           // index of the next candidate group
  std::size_t slot_count_ = 0;
  std::vector<Slot*> idle_slots_;
  std::exception_ptr error_;
  base::ConditionVariable all_idle_;

  base::atomic<bool> stopped_{false};  // something threw
  base::atomic<std::uint64_t> files_done_{0};
  base::atomic<std::uint64_t> bytes_done_{0};

  std::vector<std::unique_ptr<Slot>> slots_;  // changed only by the thread that calls grow()
  std::unique_ptr<rt::TaskRunner> runner_;    // last: its tasks use all other members
};

}  // namespace fathom::fs
