// ThreadLog: the events of one thread for one timeline. ThreadLogs: those of all threads.
//
// The thread writes, and the timeline's thread reads. A log belongs to its thread until the thread
// ends or records for another timeline; the thread then marks it, and the reader frees it after
// reading the rest.

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

  // ---- For the thread

  // Returns whether to wake the reader: half a ring has been filled since the last time.
  bool record(const Event& event) noexcept {
    if (!ring_.try_push(event)) {
      // Only this thread writes it.
      lost_.store(lost_.load(base::memory_order_relaxed) + 1, base::memory_order_relaxed);
      return false;
    }
    if (--until_half_ != 0) return false;
    until_half_ = half();
    return true;
  }
  // The last call.
  // [T1] release: pairs with the acquire of left(): a reader that sees it sees all events.
  void leave() noexcept { left_.store(true, base::memory_order_release); }

  // ---- For the reader

  [[nodiscard]] std::size_t waiting() const noexcept { return ring_.size_hint(); }
  template <class F>
  std::size_t read(std::size_t most, F&& f) {
    return ring_.try_pop_batch(most, f);
  }
  // Whether no further events will come.
  [[nodiscard]] bool left() const noexcept {
    return left_.load(base::memory_order_acquire);  // [T1]
  }
  // The number of events so far for which there was no room.
  [[nodiscard]] std::uint64_t lost() const noexcept {
    return lost_.load(base::memory_order_relaxed);
  }

  // ---- For both

  [[nodiscard]] std::uint32_t track() const noexcept { return track_; }
  [[nodiscard]] long system_id() const noexcept { return system_id_; }
  [[nodiscard]] Recording::State timeline() const noexcept { return timeline_; }

 private:
  [[nodiscard]] std::size_t half() const noexcept { return (ring_.capacity() + 1) / 2; }

  const std::uint32_t track_;  // counts from 1, in the order of the threads' first events
  const long system_id_;
  const Recording::State timeline_;
  rt::SpscRing<Event> ring_;
  // For the thread: the number of events until the reader is woken.
  std::size_t until_half_ = half();
  base::atomic<std::uint64_t> lost_{0};
  base::atomic<bool> left_{false};  // [T1]
};

// All logs of the process. Never destroyed: threads may outlive the static objects.
class ThreadLogs {
 public:
  static ThreadLogs& all() noexcept;

  // ---- For any thread

  // The calling thread's log for this timeline; null if the thread is ending, or there is no
  // memory.
  static ThreadLog* own(Recording::State timeline) noexcept {
    if (own_ != nullptr && own_->timeline() == timeline) [[likely]]
      return own_;
    return all().make_own(timeline);
  }
  static void name_own(std::string_view name) noexcept { all().give_own_name(name); }
  // Counts an event of a thread without a log.
  void count_lost() noexcept { homeless_.fetch_add(1, base::memory_order_relaxed); }
  void wake_reader() noexcept {
    wanted_.store(true, base::memory_order_relaxed);
    wakes_.notify_one();
  }

  // ---- For the timeline

  // Call before the first event.
  void begin(std::size_t ring_events);
  // The logs of this timeline; each stays valid until free().
  [[nodiscard]] std::vector<ThreadLog*> of(Recording::State timeline);
  // The name of the log's thread, if it has changed since the last call.
  [[nodiscard]] std::optional<std::string> take_name(const ThreadLog& log);
  void free(const ThreadLog& log) noexcept;
  // Frees the logs of threads that have left, of any timeline.
  void free_left() noexcept;
  [[nodiscard]] std::uint64_t homeless() const noexcept {
    return homeless_.load(base::memory_order_relaxed);
  }
  // Waits until wake_reader(), or at most this long.
  void wait(std::chrono::nanoseconds most) noexcept;

  // Around a fork(), on its thread: the child does not have any other thread.
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

  // The calling thread's log, or null. Trivial, so that it is usable until the thread's very end.
  static constinit inline thread_local ThreadLog* own_ = nullptr;

  std::mutex mutex_;
  std::vector<Entry> entries_;    // guarded by mutex_
  std::size_t ring_events_ = 0;   // guarded by mutex_
  std::uint32_t next_track_ = 1;  // guarded by mutex_
  base::atomic<std::uint64_t> homeless_{0};
  base::atomic<bool> wanted_{false};  // a wake-up is requested; a hint
  rt::EventCount wakes_;              // the reader sleeps here
};

}  // namespace fathom::diag
