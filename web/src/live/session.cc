#include "live/session.h"

#include <chrono>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

#include "fathom/base/clock.h"
#include "fathom/rt/signals_blocked.h"

namespace fathom::web {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kProgressInterval{200};
constexpr milliseconds kPictureInterval{1000};
// After a picture there is a pause of so many times what it took: a tree that grows takes longer
// and longer.
constexpr int kPauseAfterPicture = 10;

std::string what_went_wrong(const std::exception& error) {
  const bool no_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
  return no_memory ? "there is not enough memory" : error.what();
}

}  // namespace

// Says when the next picture of a scan that runs is due.
class Session::Pace {
 public:
  [[nodiscard]] bool due() const { return base::monotonic_now() >= next_; }
  // Makes one.
  template <class Make>
  auto timed(Make make) {
    const base::Stopwatch watch;
    auto made = make();
    const std::chrono::duration<double> taken(watch.seconds());
    const auto pause = std::chrono::duration_cast<base::MonotonicClock::duration>(
        taken * static_cast<double>(kPauseAfterPicture));
    next_ =
        base::monotonic_now() + std::max<base::MonotonicClock::duration>(kPictureInterval, pause);
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
  start([this, saved = subject_.saved] {
    const std::uint64_t generation = ++generation_;
    auto picture = std::make_shared<const Picture>(std::move(*saved), subject_.taken, generation,
                                                   false, owners_);
    post([this, picture = std::move(picture)]() mutable { scan_ended(std::move(picture)); });
  });
}

bool Session::rescan() {
  if (busy_ || cancelled_ || subject_.saved) return false;
  scan();
  changed_();
  return true;
}

bool Session::find_duplicates() {
  if (busy_ || cancelled_ || subject_.saved || picture_ == nullptr) return false;
  search();
  return true;
}

void Session::cancel() {
  cancelled_ = true;
  cancel_.cancel();
}

// ---- On the loop's thread

template <class Work>
void Session::start(Work work) {
  busy_ = true;
  update_permissions();
  if (thread_.joinable()) thread_.join();  // it has posted its last
  const auto fail = [this](const std::exception& error) {
    post([this, why = what_went_wrong(error)] { failed(why); });
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
  pace_ = std::make_unique<Pace>();
  start([this] { run_scan(); });
}

void Session::scan_ended(std::shared_ptr<const Picture> picture) {
  status_.state = picture->scan().cancelled ? ScanState::interrupted : ScanState::complete;
  status_.progress.reset();
  busy_ = false;
  show(std::move(picture));
}

void Session::search_ended(const std::shared_ptr<const fs::Duplicates>& found) {
  duplicates_.state = found->cancelled ? DuplicatesState::interrupted : DuplicatesState::complete;
  // The last that was told may have been long before.
  if (!found->cancelled) duplicates_.progress.bytes = duplicates_.progress.bytes_total;
  duplicates_.found = found;
  busy_ = false;
  update_permissions();
  changed_();
}

// Whatever ran.
void Session::failed(const std::string& why) {
  busy_ = false;
  if (status_.state == ScanState::scanning) {
    status_.state = ScanState::failed;
    status_.progress.reset();
    status_.message = why;
  } else {
    duplicates_.state = DuplicatesState::failed;
    duplicates_.message = why;
  }
  update_permissions();
  changed_();
}

void Session::show(std::shared_ptr<const Picture> picture) {
  picture_ = std::move(picture);
  status_.taken = picture_->taken();
  update_permissions();
  changed_();
}

void Session::update_permissions() {
  status_.can_rescan = !busy_ && !subject_.saved;
  status_.can_find_duplicates = status_.can_rescan && picture_ != nullptr;
}

void Session::search() {
  duplicates_ = DuplicateState();
  duplicates_.state = DuplicatesState::running;
  duplicates_.generation = picture_->generation();
  duplicates_.picture = picture_;
  start([this, in = picture_] { run_search(in); });
  changed_();
}

// ---- On the session's own

void Session::run_scan() {
  fs::ScanOptions options = subject_.scan;
  options.cancel = cancel_.token();
  options.progress_interval = kProgressInterval;
  options.progress = [this](const fs::Progress& known) { tell_progress(known); };
  const std::int64_t taken = base::wall_now();
  if (subject_.selection) options.selection = subject_.selection(taken);
  fs::Scan found = fs::scan(options);
  const std::uint64_t generation = ++generation_;  // after those of the pictures on the way
  auto picture =
      std::make_shared<const Picture>(std::move(found), taken, generation, false, owners_);
  post([this, picture = std::move(picture)]() mutable { scan_ended(std::move(picture)); });
}

void Session::tell_progress(const fs::Progress& known) {
  fs::Progress told = known;
  told.snapshot = nullptr;  // is for this call alone
  std::shared_ptr<const Picture> picture;
  if (pace_->due() && !cancel_.token().cancelled()) {
    picture = pace_->timed([&] {
      const std::uint64_t generation = ++generation_;
      return std::make_shared<const Picture>(known.snapshot(), base::wall_now(), generation, true,
                                             owners_);
    });
  }
  post([this, told = std::move(told), picture = std::move(picture)]() mutable {
    status_.progress = std::move(told);
    if (picture != nullptr) return show(std::move(picture));
    changed_();
  });
}

void Session::run_search(const std::shared_ptr<const Picture>& in) {
  fs::DuplicateOptions options;
  options.threads = subject_.scan.threads;
  options.cancel = cancel_.token();
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

}  // namespace fathom::web
