// record_threads: the loop that waits for the end of a program, samples it, and reads records.

#include "fathom/diag/record_threads.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <fstream>
#include <limits>
#include <memory>
#include <set>
#include <utility>

#include "fathom/base/clock.h"
#include "fathom/base/error.h"
#include "fathom/base/fd.h"
#include "fathom/base/retry.h"
#include "threads/proc_folder.h"
#include "threads/received_signals.h"
#include "threads/recorder.h"
#include "threads/rusage.h"
#include "threads/stopped_command.h"
#include "threads/switch_rings.h"

namespace fathom::diag {

namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// At most a 20th of the time is spent sampling.
constexpr int kMostSampling = 20;

nanoseconds time_of(clockid_t clock) {
  struct timespec time = {};
  ::clock_gettime(clock, &time);
  return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

// When a recording began, on the clocks of the kernel.
struct Beginning {
  nanoseconds monotonic = time_of(CLOCK_MONOTONIC);
  nanoseconds boot = time_of(CLOCK_BOOTTIME);

  [[nodiscard]] nanoseconds elapsed() const { return time_of(CLOCK_MONOTONIC) - monotonic; }
};

Recorder::Options options_of(const RecordOptions& options, const Beginning& beginning) {
  Recorder::Options chosen;
  chosen.children = options.children;
  chosen.keep_samples = options.keep_samples;
  chosen.keep_spans = options.keep_spans;
  chosen.boot = beginning.boot;
  chosen.clock = [beginning] { return beginning.elapsed(); };
  return chosen;
}

// When to sample next.
class Schedule {
 public:
  explicit Schedule(milliseconds interval) : interval_(interval) {
    if (interval < milliseconds(1)) {
      throw base::Error("the interval of a recording must be at least 1 ms");
    }
  }

  [[nodiscard]] nanoseconds next() const { return next_; }
  [[nodiscard]] bool is_due(nanoseconds now) const { return now >= next_; }
  void sampled(nanoseconds from, nanoseconds to) {
    // The end of a long sample counts, so that samples do not follow each other without a pause.
    next_ = std::max(base::deadline_after(from, interval_), to + (kMostSampling - 1) * (to - from));
  }

 private:
  const milliseconds interval_;
  nanoseconds next_{0};
};

// For poll(): rounded up, so that it does not return too early; the longest one if it is longer.
int timeout_of(nanoseconds rest) {
  const auto whole = std::chrono::ceil<milliseconds>(std::max(rest, nanoseconds(0))).count();
  return static_cast<int>(std::min<std::int64_t>(whole, std::numeric_limits<int>::max()));
}

// While an object exists, this process is the parent of orphans among its descendants.
class Adopting {
 public:
  Adopting() {
    ::prctl(PR_GET_CHILD_SUBREAPER, &before_);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  }
  ~Adopting() { ::prctl(PR_SET_CHILD_SUBREAPER, before_); }
  Adopting(const Adopting&) = delete;
  Adopting& operator=(const Adopting&) = delete;

 private:
  int before_ = 0;
};

std::string why_refused(const base::SystemError& error) {
  std::string reason = error.what();
  int paranoid = 0;
  if (std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> paranoid && paranoid > 2) {
    reason += " (kernel.perf_event_paranoid is " + std::to_string(paranoid) + ")";
  }
  return reason;
}

class CommandWatch {
 public:
  CommandWatch(const std::vector<std::string>& command, const RecordOptions& options)
      : own_children_(children()),
        options_(options),
        command_(command, signals_.before()),
        schedule_(options.interval) {
    open_rings();
    Recorder::Options chosen = options_of(options, beginning_);
    chosen.has_records = rings_ != nullptr;
    recorder_.emplace(std::move(chosen));
    recorder_->follow(command_.process());
    followed_.insert(command_.process());
  }

  CommandRecording run() {
    command_.start();
    while (!ended_) {
      sample_if_due();
      wait();
      pass_signals();
      reap();
    }
    adopt();
    reap();
    read_records();
    recorder_->sample(beginning_.elapsed());
    result_.process = command_.process();
    result_.threads = recorder_->finish(beginning_.elapsed(), reaped_);
    result_.threads.why_no_records = why_no_records_;
    result_.threads.records_ended = records_ended_;
    if (rings_ != nullptr) result_.threads.lost_records = rings_->lost();
    return std::move(result_);
  }

 private:
  void open_rings() {
    if (options_.source == SwitchSource::none) {
      why_no_records_ = "not requested";
      return;
    }
    try {
      rings_ = std::make_unique<SwitchRings>(command_.process());
    } catch (const base::SystemError& error) {
      why_no_records_ = why_refused(error);
      if (options_.source == SwitchSource::automatic) return;
      throw base::Error("the kernel refuses its records of context switches: " + why_no_records_);
    }
  }

  void sample_if_due() {
    const nanoseconds now = beginning_.elapsed();
    if (!schedule_.is_due(now)) return;
    adopt();
    read_records(now);
    recorder_->sample(now);
    records_ended_ = records_ended_ || (!rings_live_ && recorder_->any_running());
    schedule_.sampled(now, beginning_.elapsed());
  }

  void wait() {
    std::vector<pollfd> waiting = {{signals_.descriptor(), POLLIN, 0}};
    if (rings_ != nullptr && rings_live_) {
      for (const int ring : rings_->descriptors()) waiting.push_back({ring, POLLIN, 0});
    }
    const int timeout = timeout_of(schedule_.next() - beginning_.elapsed());
    if (::poll(waiting.data(), waiting.size(), timeout) <= 0) return;
    const auto any_ring = [&](int event) {
      return std::any_of(waiting.begin() + 1, waiting.end(),
                         [event](const pollfd& ring) { return (ring.revents & event) != 0; });
    };
    // Otherwise, poll() would return at once from now on.
    if (any_ring(POLLHUP | POLLERR)) rings_live_ = false;
    if (any_ring(POLLIN)) read_records();
  }

  void pass_signals() {
    while (const auto signal = signals_.next()) {
      if (signal->number != SIGCHLD && !signal->from_kernel) {
        ::kill(command_.process(), signal->number);
      }
    }
  }

  void read_records() { read_records(beginning_.elapsed()); }
  void read_records(nanoseconds now) {
    if (rings_ == nullptr) return;
    const auto begin = static_cast<std::uint64_t>(beginning_.monotonic.count());
    rings_->read_until(begin + static_cast<std::uint64_t>(now.count()),
                       [&](const SwitchRecord& record) { recorder_->apply(record, begin); });
  }

  // The processes of which this one is the parent.
  std::set<long> children() const {
    std::set<long> all;
    for (const long thread : proc_.threads(::getpid())) {
      for (const long child : proc_.children(::getpid(), thread)) all.insert(child);
    }
    return all;
  }

  void adopt() {
    if (!options_.children) return;
    for (const long child : children()) {
      if (own_children_.count(child) != 0) continue;
      recorder_->follow(child);
      followed_.insert(child);
    }
  }

  // Waits for those that have ended, after a last look at them.
  void reap() {
    for (auto next = followed_.begin(); next != followed_.end();) {
      const long process = *next;
      siginfo_t info = {};
      const int code = base::retry_errno([&] {
        return ::waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT);
      });
      if (code == 0 && info.si_pid == 0) {
        ++next;  // it runs
        continue;
      }
      if (code == 0) reap(static_cast<pid_t>(process));
      ended_ = ended_ || process == command_.process();
      recorder_->unfollow(process);
      next = followed_.erase(next);
    }
  }

  void reap(pid_t process) {
    read_records();
    recorder_->sample_last(process, beginning_.elapsed());
    int status = 0;
    struct rusage used = {};
    if (base::retry([&] { return ::wait4(process, &status, 0, &used); }) != process) return;
    ThreadFigures figures;
    read_rusage(used, figures);
    reaped_ += figures;
    if (process != command_.process()) return;
    if (WIFSIGNALED(status)) result_.signal = WTERMSIG(status);
    if (WIFEXITED(status)) result_.code = WEXITSTATUS(status);
  }

  const Beginning beginning_;
  const ProcFolder proc_;
  const Adopting adopting_;
  const std::set<long> own_children_;  // from before the command
  const RecordOptions& options_;
  ReceivedSignals signals_;
  StoppedCommand command_;
  Schedule schedule_;
  std::unique_ptr<SwitchRings> rings_;
  bool rings_live_ = true;      // some thread can still write to them
  bool records_ended_ = false;  // although threads still ran
  std::string why_no_records_;
  std::optional<Recorder> recorder_;
  std::set<long> followed_;  // for which this process waits
  ThreadFigures reaped_;
  bool ended_ = false;
  CommandRecording result_;
};

}  // namespace

CommandRecording record_command(const std::vector<std::string>& command,
                                const RecordOptions& options) {
  return CommandWatch(command, options).run();
}

ThreadRecording record_process(long process, const RecordOptions& options,
                               std::optional<nanoseconds> longest) {
  if (options.source == SwitchSource::records) {
    throw base::Error("the kernel's records of context switches need a command");
  }
  const Beginning beginning;
  Recorder::Options chosen = options_of(options, beginning);
  chosen.attached = true;
  Recorder recorder(std::move(chosen));
  recorder.follow(process);
  ReceivedSignals signals;
  // Readable when the process has ended. Linux before 5.3 has none: then a sample notices the end.
  base::Fd process_end(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  Schedule schedule(options.interval);
  const nanoseconds end = longest.value_or(nanoseconds::max());
  for (bool stopped = false; !stopped;) {
    const nanoseconds now = beginning.elapsed();
    recorder.sample(now);
    schedule.sampled(now, beginning.elapsed());
    stopped = !recorder.any_running() || now >= end;
    while (!stopped && !schedule.is_due(beginning.elapsed())) {
      pollfd waiting[] = {{signals.descriptor(), POLLIN, 0}, {process_end.get(), POLLIN, 0}};
      ::poll(waiting, 2, timeout_of(std::min(schedule.next(), end) - beginning.elapsed()));
      while (const auto signal = signals.next()) stopped |= signal->number != SIGCHLD;
      const bool has_ended = waiting[1].revents != 0;
      if (has_ended) process_end.reset();  // only once
      if (has_ended || beginning.elapsed() >= end) break;
    }
  }
  ThreadRecording recording = recorder.finish(beginning.elapsed(), std::nullopt);
  recording.why_no_records = "a running process is only sampled";
  if (recording.threads.empty()) {
    throw base::SystemError("cannot record the process " + std::to_string(process), ESRCH);
  }
  return recording;
}

}  // namespace fathom::diag
