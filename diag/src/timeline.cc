// Timeline: starting, stopping, and the sink that writes to a file.

#include "fathom/diag/timeline.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "fathom/base/error.h"
#include "fathom/base/fd.h"
#include "fathom/base/retry.h"
#include "fathom/diag/recording.h"
#include "fathom/rt/ticker.h"
#include "timeline/thread_log.h"
#include "timeline/writer.h"

namespace fathom::diag {

namespace {

// The running timeline, if any, and the number of timelines so far.
std::mutex current_mutex;
Recording::State current = 0;    // guarded by current_mutex
Recording::State timelines = 0;  // guarded by current_mutex

}  // namespace

// Called in a forked child, which does not have the reading thread.
void forget_timeline() noexcept {
  Recording::state_.store(0, base::memory_order_relaxed);
  current = 0;
}

namespace {

void before_fork() {
  current_mutex.lock();
  ThreadLogs::all().lock();
}

void after_fork_in_parent() {
  ThreadLogs::all().unlock();
  current_mutex.unlock();
}

void after_fork_in_child() {
  forget_timeline();
  ThreadLogs::all().unlock();
  current_mutex.unlock();
}

void mind_forks() {
  static const int done = ::pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  static_cast<void>(done);
}

// Requires current_mutex. Numbers wrap around after two billion timelines.
Recording::State next_state() {
  ++timelines;
  if (timelines == 0x7fff'ffff) timelines = 1;
  return timelines << 1U | (rt::TscTime::available() ? 1U : 0U);
}

}  // namespace

Timeline::Timeline(Sink sink) : Timeline(std::move(sink), Options()) {}

Timeline::Timeline(Sink sink, Options options) : process_(::getpid()) {
  if (options.ring_events == 0)
    throw base::Error("the ring of a timeline must hold at least one event");
  if (options.most_bytes < kLeastBytes) {
    throw base::Error("the budget of a timeline must be at least " + std::to_string(kLeastBytes) +
                      " bytes");
  }
  if (options.interval < std::chrono::milliseconds(1)) {
    throw base::Error("the interval of a timeline must be at least 1 ms");
  }
  mind_forks();
  const std::lock_guard lock(current_mutex);
  if (current != 0) throw std::logic_error("a timeline is already running");
  const Recording::State state = next_state();
  writer_ = std::make_unique<Writer>(std::move(sink), std::move(options), state);
  current = state;
  Recording::state_.store(state, base::memory_order_relaxed);
}

Timeline::~Timeline() {
  try {
    stop();
  } catch (...) {
    // Callers that want the error call stop().
  }
}

void Timeline::end_recording() noexcept {
  Recording::state_.store(0, base::memory_order_relaxed);
}

Timeline::Summary Timeline::stop() {
  if (writer_ == nullptr) return summary_;
  if (process_ != ::getpid()) {
    // The writer's thread exists only in the parent: it can neither be joined nor detached here.
    static_cast<void>(writer_.release());
    return summary_;
  }
  const std::unique_ptr<Writer> writer = std::move(writer_);
  writer->end();
  {
    const std::lock_guard lock(current_mutex);
    current = 0;
  }
  summary_ = writer->summary();
  if (writer->error()) std::rethrow_exception(writer->error());
  return summary_;
}

namespace {

// The output file, shared by the copies of a sink.
class TraceFile {
 public:
  explicit TraceFile(const std::string& path) : path_(path) {
    file_.reset(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!file_) fail(errno);
  }

  void write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written =
          base::retry([&] { return ::write(file_.get(), text.data(), text.size()); });
      if (written < 0) fail(errno);
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }

 private:
  [[noreturn]] void fail(int code) const {
    throw base::SystemError("cannot write to " + path_, code);
  }

  const std::string path_;
  base::Fd file_;
};

}  // namespace

Timeline::Sink trace_file(const std::string& path) {
  return [file = std::make_shared<const TraceFile>(path)](std::string_view text) {
    file->write(text);
  };
}

}  // namespace fathom::diag
