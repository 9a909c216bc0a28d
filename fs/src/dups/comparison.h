// Comparison: tells which candidates are equal.
//
// A class is a set of files that are equal as far as they have been compared. Its next bytes are
// read from all its files into one buffer, compared there, and split it where they differ. So each
// byte is read once, no file stays open, and nothing more is read of a file that has no equal left.
// A class in whose files much is left takes many buffers at a time (a wave), which are compared
// independently of each other. Many small groups share one buffer.
//
// Where the files of a size are divided among groups, each group's contents are hashed, and those
// with a hash that another group has, too, are read once more and compared.
//
// Where a class has more files than share a buffer, they are hashed first, block by block, to find
// those that are worth comparing: these are compared with one of them, in parts. They are read
// twice.
//
// Reading and comparing are tasks of a TaskScheduler, in a channel each. A slot has a buffer, and
// one piece of work at a time.

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
  // Begins no further work once the token is cancelled. Tells the observer, if any, of the phases
  // "read" and "compare".
  Comparison(const Candidates& candidates, Reader& reader, Findings& findings,
             rt::CancelToken cancel, const rt::Observer* observer);
  Comparison(const Comparison&) = delete;
  Comparison& operator=(const Comparison&) = delete;
  ~Comparison();  // stops, and waits for what is under way

  // Begins, with so many slots; there should be two for each processor, and one for each thread.
  void start(rt::Executor& executor, unsigned slots);
  // From now on with so many. The same thread as start().
  void grow(unsigned slots);
  // For about so long at most: whether all is done. Throws what a task threw, std::bad_alloc say.
  bool wait_for(std::chrono::milliseconds duration);

  // Tells of equal files that were still to be compared with others, too: once all is done, which
  // was cancelled.
  void end_early();

  // Candidates, and bytes of theirs, that have been read or need not be.
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
    std::uint64_t compared = 0;             // so many of their bytes are equal
    std::uint64_t hashed = 0;               // so many have equal hashes
    std::shared_ptr<Verification> part_of;  // null, or what it is a part of
  };

  // What is read of a class in several pieces of work. Whoever ends the last one ends the wave.
  struct Wave {
    Class files;
    std::uint64_t begin = 0;                         // bytes into each
    std::size_t length = 0;                          // of a segment, in bytes
    std::vector<std::vector<std::uint32_t>> labels;  // of each segment, as same_content() says
    std::vector<std::uint64_t> hashes;               // or of each file
    std::vector<std::uint8_t> was_read;              // with hashes: whether they mean anything
    base::atomic<std::size_t> pieces_left{0};
  };

  // What a slot does at a time.
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

  std::vector<std::unique_ptr<Division>> divisions_;  // of the candidates'; each guards itself

  base::Mutex mutex_ = base::named_mutex("dups: work");  // guards what follows
  std::deque<std::unique_ptr<Work>> work_;               // of classes that were begun
  std::size_t next_group_ = 0;                           // of the candidates'
  std::size_t slot_count_ = 0;
  std::vector<Slot*> idle_slots_;
  std::exception_ptr error_;
  base::ConditionVariable all_idle_;

  base::atomic<bool> stopped_{false};  // something threw
  base::atomic<std::uint64_t> files_done_{0};
  base::atomic<std::uint64_t> bytes_done_{0};

  std::vector<std::unique_ptr<Slot>> slots_;  // grow()'s thread alone changes it
  std::unique_ptr<rt::TaskRunner> runner_;    // last: its tasks use all of it
};

}  // namespace fathom::fs
