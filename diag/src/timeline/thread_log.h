// ThreadLog: the events of one thread for one timeline. ThreadLogs: those of all threads.
//
// The thread writes, and the timeline's thread reads. A log belongs to its thread until the thread
// ends or records for another timeline; the thread then marks it, and the reader frees it after
// reading the rest.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/rt/event_count.h"
#include "fathom/rt/spsc_ring.h"
#include "timeline/event.h"
#include "timeline/switch_log.h"

namespace fathom::diag {

class ThreadLog {
 public:
  // The longest text of an event, in bytes.
  static constexpr std::size_t kLongestText = 256;

  // `switches` may be null.
  ThreadLog(std::size_t events, Recording::State timeline, std::uint32_t track, long system_id,
            std::unique_ptr<SwitchLog> switches)
      : track_(track),
        system_id_(system_id),
        timeline_(timeline),
        ring_(events),
        switches_(std::move(switches)) {}

  // ---- For the thread

  // Returns whether to wake the reader: half a ring has been filled since the last time.
  bool record(const Event& event) noexcept {
    if (!ring_.try_push(event)) {
      lose();
      return false;
    }
    return fill(1);
  }
  // The same for an event of kind text, whose count is set here. The text has at most kLongestText
  // bytes.
  bool record_text(Event event, std::string_view text) noexcept;
  // The last call.
  void leave() noexcept;

  // ---- For the reader

  [[nodiscard]] std::size_t waiting() const noexcept { return ring_.size_hint(); }
  // Calls f(event, its text) for up to `most` events of the ring, of which texts take several;
  // returns their number. A text may end in a later call.
  template <class F>
  std::size_t read(std::size_t most, F&& f) {
    return ring_.try_pop_batch(most, [&](const Event& event) { see(event, f); });
  }
  // Whether no further events will come.
  [[nodiscard]] bool left() const noexcept {
    return left_.load(base::memory_order_acquire);  // [T1]
  }
  // Once it has left(): when, in nanoseconds of the monotonic clock; only if it has switches.
  [[nodiscard]] std::uint64_t left_at() const noexcept { return left_at_; }
  // The context switches of the thread, or null.
  [[nodiscard]] SwitchLog* switches() const noexcept { return switches_.get(); }
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

  void lose() noexcept {
    // Only this thread writes it.
    lost_.store(lost_.load(base::memory_order_relaxed) + 1, base::memory_order_relaxed);
  }
  bool fill(std::size_t events) noexcept {
    if (until_half_ > events) {
      until_half_ -= events;
      return false;
    }
    until_half_ = half();
    return true;
  }

  template <class F>
  void see(const Event& event, F& f) {
    if (text_left_ != 0) {
      const std::size_t size = std::min(text_left_, sizeof event);
      text_.append(reinterpret_cast<const char*>(&event), size);
      text_left_ -= size;
      if (text_left_ == 0) f(text_event_, text_);
    } else if (event.kind == Event::Kind::text && event.count != 0) {
      text_event_ = event;
      text_.clear();
      text_left_ = event.count;
    } else {
      f(event, std::string_view());
    }
  }

  const std::uint32_t track_;  // counts from 1, in the order of the threads' first events
  const long system_id_;
  const Recording::State timeline_;
  rt::SpscRing<Event> ring_;
  // For the reader: the text that it has begun to read, and how much of it is missing.
  Event text_event_;
  std::string text_;
  std::size_t text_left_ = 0;
  // For the thread: the number of events until the reader is woken.
  std::size_t until_half_ = half();
  base::atomic<std::uint64_t> lost_{0};
  const std::unique_ptr<SwitchLog> switches_;
  std::uint64_t left_at_ = 0;       // written before left_
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

  // Call before the first event. With `switches`, threads also get the logs of their context
  // switches, as far as the system allows.
  void begin(std::size_t ring_events, bool switches);
  // How many threads have a log, how many of them asked for switches in vain, and the last reason.
  struct Refusals {
    std::size_t threads = 0;
    std::size_t refused = 0;
    SwitchRefusal last;
  };
  [[nodiscard]] Refusals refusals();
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
  void wait(std::chrono::milliseconds most) noexcept;

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
  std::vector<Entry> entries_;   // guarded by mutex_
  std::size_t ring_events_ = 0;  // guarded by mutex_
  Refusals refusals_;            // guarded by mutex_
  base::atomic<bool> switches_{false};
  std::uint32_t next_track_ = 1;  // guarded by mutex_
  base::atomic<std::uint64_t> homeless_{0};
  base::atomic<bool> wanted_{false};  // a wake-up is requested; a hint
  rt::EventCount wakes_;              // the reader sleeps here
};

}  // namespace fathom::diag
