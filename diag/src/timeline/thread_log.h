// ThreadLog: what one thread has recorded for one timeline. ThreadLogs: those of all threads.
//
// The thread writes, the timeline's thread reads. A log belongs to its thread until that ends or
// records for another timeline; then it says so, and the reader, once it has read the rest, frees
// it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/rt/event_count.h"
#include "fathom/rt/spsc_ring.h"
#include "timeline/event.h"

namespace fathom::diag {

class ThreadLog {
 public:
  ThreadLog(std::size_t events, Recording::State timeline, std::uint32_t track, long system_id)
      : track_(track), system_id_(system_id), timeline_(timeline), ring_(events) {}

  // ---- The thread's.

  // Whether the reader should be woken: there is half a ring more to read.
  bool record(const Event& event) noexcept {
    if (!ring_.try_push(event)) {
      // Written here alone.
      lost_.store(lost_.load(base::memory_order_relaxed) + 1, base::memory_order_relaxed);
      return false;
    }
    if (--until_half_ != 0) return false;
    until_half_ = half();
    return true;
  }
  // The last call.
  // [T1] release: pairs with the acquire of left(): what was recorded is visible to who reads it.
  void leave() noexcept { left_.store(true, base::memory_order_release); }

  // ---- The reader's.

  [[nodiscard]] std::size_t waiting() const noexcept { return ring_.size_hint(); }
  template <class F>
  std::size_t read(std::size_t most, F&& f) {
    return ring_.try_pop_batch(most, f);
  }
  // No event comes after those that are there now.
  [[nodiscard]] bool left() const noexcept {
    return left_.load(base::memory_order_acquire);  // [T1]
  }
  // So far, for want of room.
  [[nodiscard]] std::uint64_t lost() const noexcept {
    return lost_.load(base::memory_order_relaxed);
  }

  // ---- Both's.

  [[nodiscard]] std::uint32_t track() const noexcept { return track_; }
  [[nodiscard]] long system_id() const noexcept { return system_id_; }
  [[nodiscard]] Recording::State timeline() const noexcept { return timeline_; }

 private:
  [[nodiscard]] std::size_t half() const noexcept { return (ring_.capacity() + 1) / 2; }

  const std::uint32_t track_;  // from 1, in the order of the threads' first events
  const long system_id_;
  const Recording::State timeline_;
  rt::SpscRing<Event> ring_;
  // The thread's alone: so many events until the reader is woken.
  std::size_t until_half_ = half();
  base::atomic<std::uint64_t> lost_{0};
  base::atomic<bool> left_{false};  // [T1]
};

// All of the process. Never destroyed: threads may outlive the static objects.
class ThreadLogs {
 public:
  static ThreadLogs& all() noexcept;

  // ---- Any thread's.

  // The calling thread's log for this timeline; null if there can be none: the thread is ending, or
  // there is no memory.
  static ThreadLog* own(Recording::State timeline) noexcept {
    if (own_ != nullptr && own_->timeline() == timeline) [[likely]]
      return own_;
    return all().make_own(timeline);
  }
  static void name_own(std::string_view name) noexcept { all().give_own_name(name); }
  // An event of a thread that has no log.
  void count_lost() noexcept { homeless_.fetch_add(1, base::memory_order_relaxed); }
  void wake_reader() noexcept {
    wanted_.store(true, base::memory_order_relaxed);
    wakes_.notify_one();
  }

  // ---- The timeline's.

  // Before the first event.
  void begin(std::size_t ring_events);
  // Those of this timeline; each stays until free().
  [[nodiscard]] std::vector<ThreadLog*> of(Recording::State timeline);
  // What the thread of the log is called, if that has changed since the last call.
  [[nodiscard]] std::optional<std::string> take_name(const ThreadLog& log);
  void free(const ThreadLog& log) noexcept;
  // Those of threads that have left, of whatever timeline.
  void free_left() noexcept;
  [[nodiscard]] std::uint64_t homeless() const noexcept {
    return homeless_.load(base::memory_order_relaxed);
  }
  // Until wake_reader(), or for so long.
  void wait(std::chrono::nanoseconds most) noexcept;

  // Around a fork(), on its thread: in the child every other thread is gone.
  void lock() noexcept { mutex_.lock(); }
  void unlock() noexcept { mutex_.unlock(); }

 private:
  struct Entry {
    std::unique_ptr<ThreadLog> log;
    std::string name;
    bool is_new_name = true;
  };

  // Leaves the log when the thread ends.
  struct Leaver {
    ~Leaver();
  };

  ThreadLog* make_own(Recording::State timeline) noexcept;
  ThreadLog* make(Recording::State timeline);
  void give_own_name(std::string_view name) noexcept;

  // The calling thread's, if it has one. Trivial, so that it can be asked to the thread's very end.
  static constinit inline thread_local ThreadLog* own_ = nullptr;

  std::mutex mutex_;
  std::vector<Entry> entries_;    // guarded by mutex_
  std::size_t ring_events_ = 0;   // guarded by mutex_
  std::uint32_t next_track_ = 1;  // guarded by mutex_
  base::atomic<std::uint64_t> homeless_{0};
  base::atomic<bool> wanted_{false};  // the reader is, though it may not sleep yet; a hint
  rt::EventCount wakes_;              // the reader sleeps here
};

}  // namespace fathom::diag
