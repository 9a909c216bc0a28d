// Session: the thread that scans and searches, and the hand-over of its results to the loop.

#include "live/session.h"

#include <chrono>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

#include "fathom/base/clock.h"
#include "fathom/fs/filesystem_facts.h"
#include "fathom/rt/signals_blocked.h"

namespace fathom::web {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kProgressInterval{200};
constexpr milliseconds kSnapshotInterval{1000};
// The pause after a snapshot is at least this many times the time that it took, because snapshots
// of a growing tree take longer and longer.
constexpr int kPauseAfterSnapshot = 10;

std::string what_went_wrong(const std::exception& error) {
  const bool no_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
  return no_memory ? "out of memory" : error.what();
}

}  // namespace

// Decides when the next snapshot of a running scan is due.
class Session::Pace {
 public:
  [[nodiscard]] bool due() const { return base::monotonic_now() >= next_; }
  // Makes a snapshot, and schedules the next one by the time it took.
  template <class Make>
  auto timed(Make make) {
    const base::Stopwatch watch;
    auto made = make();
    const std::chrono::duration<double> taken(watch.seconds());
    const auto pause = std::chrono::duration_cast<base::MonotonicClock::duration>(
        taken * static_cast<double>(kPauseAfterSnapshot));
    next_ =
        base::monotonic_now() + std::max<base::MonotonicClock::duration>(kSnapshotInterval, pause);
    return made;
  }

 private:
  base::MonotonicClock::time_point next_ = base::MonotonicClock::time_point::min();
};

Session::Session(rt::EventLoop& loop, Subject subject, std::function<void()> changed)
    : loop_(loop), subject_(std::move(subject)), changed_(std::move(changed)) {
  status_.version = subject_.version;
  status_.roots = subject_.saved ? subject_.saved->roots : subject_.scan.roots;
  status_.measure = subject_.measure;
  status_.source = subject_.saved ? ScanSource::file : ScanSource::scan;
  if (subject_.saved) {
    serve_saved();
  } else {
    scan();
  }
}

Session::~Session() {
  cancel();
  if (thread_.joinable()) thread_.join();
}

void Session::serve_saved() {
  start(Kind::scan, [this, saved = subject_.saved] {
    const std::uint64_t generation = ++generation_;
    auto snapshot = std::make_shared<const Snapshot>(std::move(*saved), subject_.taken, generation,
                                                     false, owners_);
    post([this, snapshot = std::move(snapshot)]() mutable { scan_ended(std::move(snapshot)); });
  });
}

bool Session::rescan() {
  if (busy_ || cancelled_ || subject_.saved) return false;
  scan();
  changed_();
  return true;
}

bool Session::can_search() const {
  return !busy_ && !cancelled_ && !subject_.saved && snapshot_ != nullptr;
}

bool Session::find_duplicates() {
  if (!can_search()) return false;
  search();
  return true;
}

bool Session::find_clean() {
  if (!can_search()) return false;
  search_clean();
  return true;
}

bool Session::cancel_search() {
  if (!searching_) return false;
  search_cancel_.cancel();
  return true;
}

void Session::cancel() {
  cancelled_ = true;
  cancel_.cancel();
}

// ---- On the thread of the loop

template <class Work>
void Session::start(Kind kind, Work work) {
  busy_ = true;
  update_permissions();
  if (thread_.joinable()) thread_.join();  // does not block: the thread has posted its last job
  const auto fail = [this, kind](const std::exception& error) {
    post([this, kind, why = what_went_wrong(error)] { failed(kind, why); });
  };
  try {
    const rt::SignalsBlocked blocked;
    thread_ = std::thread([fail, work = std::move(work)]() mutable {
      try {
        work();
      } catch (const std::exception& error) {
        fail(error);
      }
    });
  } catch (const std::system_error& error) {
    fail(error);
  }
}

rt::CancelToken Session::begin_search() {
  searching_ = true;
  search_cancel_ = rt::CancelSource::linked_to(cancel_.token());
  return search_cancel_.token();
}

void Session::ended() {
  busy_ = searching_ = false;
}

template <class Function>
void Session::post(Function function) {
  loop_.post([session = std::weak_ptr(self_), function = std::move(function)]() mutable {
    if (session.lock() != nullptr) function();
  });
}

void Session::scan() {
  status_.state = ScanState::scanning;
  status_.progress = fs::Progress();
  status_.message.clear();
  duplicates_ = DuplicateState();
  clean_ = CleanState();
  pace_ = std::make_unique<Pace>();
  start(Kind::scan, [this] { run_scan(); });
}

void Session::scan_ended(std::shared_ptr<const Snapshot> snapshot) {
  status_.state = snapshot->scan().cancelled ? ScanState::interrupted : ScanState::complete;
  status_.progress.reset();
  ended();
  show(std::move(snapshot));
}

void Session::search_ended(const std::shared_ptr<const fs::Duplicates>& found) {
  duplicates_.state = found->cancelled ? DuplicatesState::interrupted : DuplicatesState::complete;
  // The last progress report may be old.
  if (!found->cancelled) duplicates_.progress.bytes = duplicates_.progress.bytes_total;
  duplicates_.found = found;
  ended();
  update_permissions();
  changed_();
}

void Session::clean_ended(const std::shared_ptr<const CleanFound>& found) {
  clean_.phase =
      found->candidates.cancelled ? CleanState::Phase::interrupted : CleanState::Phase::done;
  clean_.found = found;
  ended();
  update_permissions();
  changed_();
}

void Session::failed(Kind kind, const std::string& why) {
  ended();
  switch (kind) {
    case Kind::scan:
      status_.state = ScanState::failed;
      status_.progress.reset();
      status_.message = why;
      break;
    case Kind::duplicates:
      duplicates_.state = DuplicatesState::failed;
      duplicates_.message = why;
      break;
    case Kind::clean:
      clean_.phase = CleanState::Phase::failed;
      clean_.message = why;
      break;
  }
  update_permissions();
  changed_();
}

void Session::show(std::shared_ptr<const Snapshot> snapshot) {
  snapshot_ = std::move(snapshot);
  status_.taken = snapshot_->taken();
  update_permissions();
  changed_();
}

void Session::update_permissions() {
  status_.can_rescan = !busy_ && !subject_.saved;
  status_.can_find_duplicates = status_.can_rescan && snapshot_ != nullptr;
}

void Session::search() {
  duplicates_ = DuplicateState();
  duplicates_.state = DuplicatesState::running;
  duplicates_.generation = snapshot_->generation();
  duplicates_.snapshot = snapshot_;
  start(Kind::duplicates,
        [this, in = snapshot_, cancel = begin_search()] { run_search(in, cancel); });
  changed_();
}

void Session::search_clean() {
  clean_ = CleanState();
  clean_.phase = CleanState::Phase::running;
  clean_.generation = snapshot_->generation();
  clean_.snapshot = snapshot_;
  start(Kind::clean, [this, in = snapshot_, cancel = begin_search()] { run_clean(in, cancel); });
  changed_();
}

// ---- On the thread of the session

void Session::run_scan() {
  fs::ScanOptions options = subject_.scan;
  options.cancel = cancel_.token();
  options.progress_interval = kProgressInterval;
  options.progress = [this](const fs::Progress& known) { tell_progress(known); };
  const std::int64_t taken = base::wall_now();
  if (subject_.selection) options.selection = subject_.selection(taken);
  fs::Scan found = fs::scan(options);
  found.filesystems = fs::gather_filesystem_figures(found.roots);
  const std::uint64_t generation = ++generation_;  // after those of the snapshots while it ran
  auto snapshot =
      std::make_shared<const Snapshot>(std::move(found), taken, generation, false, owners_);
  post([this, snapshot = std::move(snapshot)]() mutable { scan_ended(std::move(snapshot)); });
}

void Session::tell_progress(const fs::Progress& known) {
  fs::Progress progress = known;
  progress.snapshot = nullptr;  // valid only during this call
  std::shared_ptr<const Snapshot> snapshot;
  if (pace_->due() && !cancel_.token().cancelled()) {
    snapshot = pace_->timed([&] {
      const std::uint64_t generation = ++generation_;
      return std::make_shared<const Snapshot>(known.snapshot(), base::wall_now(), generation, true,
                                              owners_);
    });
  }
  post([this, progress = std::move(progress), snapshot = std::move(snapshot)]() mutable {
    status_.progress = std::move(progress);
    if (snapshot != nullptr) return show(std::move(snapshot));
    changed_();
  });
}

void Session::run_search(const std::shared_ptr<const Snapshot>& in, const rt::CancelToken& cancel) {
  fs::DuplicateOptions options;
  options.threads = subject_.scan.threads;
  options.max_descriptors = subject_.scan.max_descriptors;
  options.observer = subject_.scan.observer;
  options.cancel = cancel;
  options.progress_interval = kProgressInterval;
  options.progress = [this](const fs::DuplicateProgress& known) {
    post([this, known] {
      duplicates_.progress = known;
      changed_();
    });
  };
  auto found = std::make_shared<const fs::Duplicates>(fs::find_duplicates(in->tree(), options));
  post([this, found = std::move(found)] { search_ended(found); });
}

void Session::run_clean(const std::shared_ptr<const Snapshot>& in, const rt::CancelToken& cancel) {
  auto found = std::make_shared<CleanFound>(CleanFound{act::RuleSet::built_in(), {}});
  found->candidates = act::find_candidates(
      in->scan(), found->rules,
      {.around = act::own_surroundings(), .now = base::wall_now(), .cancel = cancel});
  post([this, found = std::move(found)] { clean_ended(found); });
}

}  // namespace fathom::web
