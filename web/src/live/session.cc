// Session: the thread that scans and searches, and the hand-over of its results to the loop.

#include "live/session.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

#include "fathom/base/clock.h"
#include "fathom/fs/earlier_scan.h"
#include "fathom/fs/filesystem_facts.h"
#include "fathom/rt/signals_blocked.h"

namespace fathom::web {

namespace {

std::shared_ptr<Owners> owners_of(const Subject& subject) {
  if (subject.saved == nullptr || !subject.saved->saved_names) return Owners::of_system();
  return std::make_shared<Owners>(*subject.saved->saved_names);
}

using std::chrono::milliseconds;

constexpr milliseconds kProgressInterval{200};
constexpr milliseconds kSnapshotInterval{1000};
// The pause after a snapshot is at least this many times the time that it took, because snapshots
// of a growing tree take longer and longer.
constexpr int kPauseAfterSnapshot = 10;

// Whether the tree has one of them: changes elsewhere on the filesystem are reported, too.
bool has_any(const fs::Tree& tree, const fs::Changes& changes) {
  bool has = false;
  tree.for_each_node([&](fs::NodeId node) {
    has = has || std::binary_search(changes.inodes.begin(), changes.inodes.end(),
                                    std::pair(tree.device(node), tree.inode(node)));
  });
  return has;
}

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
    : loop_(loop),
      subject_(std::move(subject)),
      changed_(std::move(changed)),
      owners_(owners_of(subject_)) {
  status_.version = subject_.version;
  status_.roots = subject_.saved ? subject_.saved->roots : subject_.scan.roots;
  status_.measure = subject_.measure;
  status_.source = subject_.saved ? ScanSource::file : ScanSource::scan;
  if (subject_.live) {
    status_.live.emplace();
    follower_ = std::make_unique<Follower>(subject_.scan.roots,
                                           [this] { post([this] { something_changed(); }); });
  }
  if (subject_.saved) {
    serve_saved();
  } else {
    scan();
  }
}

Session::~Session() {
  cancel();
  loop_.cancel(update_timer_);
  if (thread_.joinable()) thread_.join();
  if (update_thread_.joinable()) update_thread_.join();
  follower_.reset();  // the others use it, and its thread uses what is destroyed next
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
  if (updating_) {
    scan_follows_ = true;
    update_permissions();
    changed_();
    return true;
  }
  scan();
  changed_();
  return true;
}

bool Session::can_search() const {
  return !busy_ && !scan_follows_ && !cancelled_ && !subject_.saved && snapshot_ != nullptr;
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
  has_changed_ = false;  // what changed before is scanned now
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
  if (has_changed_) plan_update();
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
      if (follower_ && snapshot_) plan_update();
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
  status_.can_find_duplicates = status_.can_rescan && !scan_follows_ && snapshot_ != nullptr;
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

// ---- Updates of a live session

// Updates soon, but not during a scan, nor most of the time.
void Session::something_changed() {
  has_changed_ = true;
  const bool is_scanned =
      snapshot_ != nullptr && !snapshot_->of_running_scan() && status_.state != ScanState::scanning;
  if (is_scanned) plan_update();
}

void Session::plan_update() {
  if (cancelled_ || updating_ || update_planned_) return;
  update_planned_ = true;
  // Changes seldom come alone. XFS frees the blocks that it has reserved for a file shortly after
  // the file is closed.
  constexpr milliseconds kSoon{200};
  const auto soon = base::deadline_after(base::monotonic_now(), kSoon);
  update_timer_ = loop_.at(std::max(soon, next_update_), [this] {
    update_planned_ = false;
    update();
  });
}

void Session::update() {
  if (cancelled_ || updating_ || status_.state == ScanState::scanning) return;
  updating_ = true;
  update_began_ = base::monotonic_now();
  has_changed_ = false;
  if (update_thread_.joinable()) update_thread_.join();  // has posted its last job
  const std::uint64_t generation = ++generation_;        // no scan is running
  const auto work = [this, before = snapshot_, generation] {
    try {
      run_update(before, generation);
    } catch (const std::exception&) {
      must_scan_again_ = true;
      post([this] { update_ended(nullptr, true); });
    }
  };
  try {
    const rt::SignalsBlocked blocked;
    update_thread_ = std::thread(work);
  } catch (const std::system_error&) {
    must_scan_again_ = true;
    update_ended(nullptr, true);
  }
}

// On update_thread_. Scans again what has changed, or everything if that is unknown.
void Session::run_update(const std::shared_ptr<const Snapshot>& before, std::uint64_t generation) {
  fs::ScanOptions options = subject_.scan;
  options.cancel = cancel_.token();
  const std::int64_t taken = base::wall_now();
  if (subject_.selection) options.selection = subject_.selection(taken);
  const fs::Changes changes = follower_->take();
  const bool everything =
      std::exchange(must_scan_again_, false) || changes.missed || before->scan().cancelled;
  if (everything) {
    post([this] {
      status_.live->rescanning = true;
      changed_();
    });
  } else {
    options.earlier = [&] {
      return std::make_shared<const fs::EarlierScan>(
          fs::EarlierScan{.tree = {before, &before->tree()}, .changed = changes.inodes});
    };
  }
  if (!everything && !has_any(before->tree(), changes)) {
    return post([this] { update_ended(nullptr, false); });
  }
  must_scan_again_ = true;
  fs::Scan found = fs::scan(options);
  must_scan_again_ = found.cancelled;
  found.filesystems = fs::gather_filesystem_figures(found.roots);
  auto snapshot =
      std::make_shared<const Snapshot>(std::move(found), taken, generation, false, owners_);
  post([this, snapshot, not_followed = not_followed(*snapshot)] {
    status_.live->not_followed = not_followed;
    update_ended(snapshot, false);
  });
}

// The mount points in the snapshot that cannot be followed.
std::vector<std::string> Session::not_followed(const Snapshot& snapshot) const {
  std::vector<std::string> points = follower_->not_followed();
  std::erase_if(points, [&](const std::string& point) { return !snapshot.find(point); });
  return points;
}

// `snapshot` is null if it has failed, or if nothing in the scan has changed.
void Session::update_ended(const std::shared_ptr<const Snapshot>& snapshot, bool has_failed) {
  updating_ = false;
  status_.live->rescanning = false;
  // As after a snapshot of a running scan.
  const auto now = base::monotonic_now();
  next_update_ = now + std::max<rt::EventLoop::Duration>(
                           kSnapshotInterval, (now - update_began_) * kPauseAfterSnapshot);
  if (snapshot != nullptr && !snapshot->scan().cancelled) {
    status_.state = ScanState::complete;  // an earlier scan may have failed
    status_.message.clear();
    show(snapshot);
  }
  if (std::exchange(scan_follows_, false) && rescan()) return;
  if (has_changed_ || has_failed) plan_update();
}

// ---- On the thread of the session

void Session::run_scan() {
  fs::ScanOptions options = subject_.scan;
  options.cancel = cancel_.token();
  options.progress_interval = kProgressInterval;
  options.progress = [this](const fs::Progress& known) { tell_progress(known); };
  const std::int64_t taken = base::wall_now();
  if (subject_.selection) options.selection = subject_.selection(taken);
  if (follower_) static_cast<void>(follower_->take());  // is scanned now
  must_scan_again_ = true;
  fs::Scan found = fs::scan(options);
  must_scan_again_ = found.cancelled;
  found.filesystems = fs::gather_filesystem_figures(found.roots);
  const std::uint64_t generation = ++generation_;  // after those of the snapshots while it ran
  auto snapshot =
      std::make_shared<const Snapshot>(std::move(found), taken, generation, false, owners_);
  std::vector<std::string> unknown;
  if (follower_) unknown = not_followed(*snapshot);
  post([this, snapshot = std::move(snapshot), unknown = std::move(unknown)]() mutable {
    if (status_.live) status_.live->not_followed = std::move(unknown);
    scan_ended(std::move(snapshot));
  });
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
