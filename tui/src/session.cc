// Session: jobs and their results.

#include "session.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <utility>

#include "fathom/base/clock.h"
#include "fathom/base/error.h"
#include "model/graft.h"
#include "model/update.h"

namespace fathom::tui {

namespace {

// Four times a second, and so rarely that snapshots take less than a twentieth of the time: those
// of a growing tree take longer and longer.
constexpr std::chrono::milliseconds kProgress{250};
constexpr double kPause = 20;

std::string reason_of(const std::exception& error) {
  const bool no_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
  return no_memory ? "out of memory" : error.what();
}

}  // namespace

Session::Session(fs::ScanOptions scan, fs::OwnerNames names, FindGrowth find_growth,
                 std::function<void()> wake)
    : options_(std::move(scan)),
      names_(std::move(names)),
      find_growth_(std::move(find_growth)),
      wake_(std::move(wake)) {}

Session::~Session() {
  cancel();
  cancel_searches();
}

void Session::begin(std::function<void()> job) {
  scanning_.begin([this, job = std::move(job)] {
    try {
      job();
    } catch (const std::exception& error) {
      post([why = reason_of(error)](State& state) {
        state.progress = {};
        state.message = why;
      });
    }
  });
}

void Session::post(Result result) {
  {
    const std::lock_guard lock(mutex_);
    results_.push_back(std::move(result));
  }
  wake_();
}

std::vector<Session::Result> Session::take_results() {
  const std::lock_guard lock(mutex_);
  return std::exchange(results_, {});
}

void Session::want_extras(bool wanted, fs::Measure measure) {
  measure_.store(measure, base::memory_order_relaxed);
  wants_extras_.store(wanted, base::memory_order_relaxed);
}

std::shared_ptr<const Extras> Session::wanted_extras(std::shared_ptr<const Facts> facts) {
  if (!wants_extras_.load(base::memory_order_relaxed)) return nullptr;
  const fs::Measure measure = measure_.load(base::memory_order_relaxed);
  return std::make_shared<const Extras>(std::move(facts), measure);
}

void Session::make_extras(std::shared_ptr<const Facts> facts, fs::Measure measure) {
  begin([this, facts = std::move(facts), measure]() mutable {
    const auto fits = [facts, measure](const State& state) {
      return facts == state.facts && measure == state.how.measure;
    };
    try {
      auto extras = std::make_shared<const Extras>(std::move(facts), measure);
      post([fits, extras = std::move(extras)](State& state) {
        if (fits(state)) take_extras(state, extras);
      });
    } catch (const std::exception& error) {
      post([fits, why = reason_of(error)](State& state) {
        if (fits(state)) fail_extras(state, why);
      });
    }
  });
}

// ---- Searches

Findings Session::found(Search search, const SearchJob& job, fs::Measure measure) const {
  const bool selects = !options_.selection.matches_all();
  if (search != Search::duplicates && job.facts->scan().cancelled) {
    throw base::Error("the scan was ended early; this needs all of it");
  }
  switch (search) {
    case Search::clean:
      // A rule looks at everything in a directory.
      if (selects) throw base::Error("rules need a scan without --newer, --min-size and the like");
      return find_clean(job);
    case Search::growth:
      if (selects || options_.selection.checks_names()) {
        throw base::Error("only a scan without --exclude, --newer and the like can be compared");
      }
      return find_growth(job, find_growth_, measure);
    case Search::duplicates:
      break;
  }
  return find_equal(job);
}

void Session::search(Search search, std::shared_ptr<const Facts> facts, fs::Measure measure) {
  auto& cancel_search = cancel_searches_[static_cast<std::size_t>(search)];
  if (cancel_search != nullptr) cancel_search->cancel();
  cancel_search = std::make_shared<rt::CancelSource>();
  // Whether the result still is what the state wants.
  const auto fits = [this, search, measure, token = cancel_search->token()](const State& state) {
    const bool is_last = cancel_searches_[static_cast<std::size_t>(search)]->token() == token;
    return is_last && (search != Search::growth || measure == state.how.measure);
  };
  searching_.begin(
      [this, search, measure, fits, facts = std::move(facts), cancel = cancel_search->token()] {
        const SearchJob job{facts, cancel, [this, search](std::string progress) {
                              post([search, progress = std::move(progress)](State& state) {
                                take_search_progress(state, search, progress);
                              });
                            }};
        try {
          auto findings = std::make_shared<const Findings>(found(search, job, measure));
          post([search, fits, findings = std::move(findings)](State& state) {
            if (fits(state)) take_findings(state, search, findings);
          });
        } catch (const std::exception& error) {
          const bool ended = job.cancel.cancelled();
          post([search, fits, ended, why = reason_of(error)](State& state) {
            if (!fits(state)) return;
            fail_search(state, search,
                        ended ? "ended; " + std::string(begins_search_again(state)) : why);
          });
        }
      });
}

void Session::cancel_search(Search search) {
  const auto& cancel = cancel_searches_[static_cast<std::size_t>(search)];
  if (cancel != nullptr) cancel->cancel();
}

void Session::cancel_searches() {
  for (const auto& cancel : cancel_searches_) {
    if (cancel != nullptr) cancel->cancel();
  }
}

// ---- Scans

rt::CancelToken Session::new_cancel() {
  cancel_ = std::make_shared<rt::CancelSource>();
  return cancel_->token();
}

void Session::cancel() {
  if (cancel_ != nullptr) cancel_->cancel();
}

void Session::scan() {
  begin([this, cancelled = new_cancel()] { run_scan(cancelled); });
}

void Session::run_scan(const rt::CancelToken& cancelled) {
  fs::ScanOptions options = options_;
  options.cancel = cancelled;
  options.progress_interval = kProgress;
  options.progress = [&](const fs::Progress& known) { tell_progress(known, cancelled); };
  fs::Scan found = fs::scan(options);
  const auto facts = std::make_shared<const Facts>(std::move(found), base::wall_now(), names_);
  const auto extras = wanted_extras(facts);
  post([facts, extras](State& state) {
    state.progress = {};
    if (facts->scan().cancelled) {
      state.message = "the scan was ended early: sums are lower bounds";
      state.outdated.clear();
    }
    take_facts(state, facts, extras);
  });
}

void Session::tell_progress(const fs::Progress& known, const rt::CancelToken& cancelled) {
  std::shared_ptr<const Facts> facts;
  std::shared_ptr<const Extras> extras;
  if (known.seconds >= next_snapshot_ && !cancelled.cancelled()) {
    const base::Stopwatch watch;
    facts = std::make_shared<const Facts>(known.snapshot(), base::wall_now(), names_);
    extras = wanted_extras(facts);
    next_snapshot_ = known.seconds + kPause * watch.seconds();
  }
  tell({known.entries, known.seconds, facts, extras});
}

void Session::tell(Told told) {
  {
    const std::lock_guard lock(mutex_);
    if (told_ && told.facts == nullptr) {
      told.facts = std::move(told_->facts);
      told.extras = std::move(told_->extras);
    }
    if (std::exchange(told_, std::move(told))) return;
  }
  post([this](State& state) {
    const Told newest = take_told();
    state.progress.entries = newest.entries;
    state.progress.seconds = newest.seconds;
    if (newest.facts != nullptr) take_facts(state, newest.facts, newest.extras);
  });
}

Session::Told Session::take_told() {
  const std::lock_guard lock(mutex_);
  return *std::exchange(told_, std::nullopt);
}

void Session::rescan(std::shared_ptr<const Facts> facts, fs::DirId directory,
                     const std::string& path) {
  begin([this, facts = std::move(facts), directory, path, cancelled = new_cancel()] {
    fs::ScanOptions options = options_;
    options.roots = {path};
    options.cancel = cancelled;
    options.progress_interval = kProgress;
    options.progress = [this](const fs::Progress& known) {
      tell({known.entries, known.seconds, nullptr, nullptr});
    };
    const fs::Scan fresh = fs::scan(options);
    if (fresh.cancelled) {
      return post([](State& state) {
        state.progress = {};
        state.message = "the scan was ended early: the earlier results stay";
        state.outdated.clear();
      });
    }
    Grafted grafted = graft(facts->scan(), directory, fresh);
    auto numbers = std::make_shared<const Renumbering>(std::move(grafted.numbers));
    const auto now =
        std::make_shared<const Facts>(std::move(grafted.scan), base::wall_now(), names_);
    const bool gone = numbers->directories[directory] == fs::kNoDir;
    post([now, numbers, gone](State& state) {
      state.progress = {};
      if (gone) state.message = "the directory is gone";
      if (state.message.empty()) state.message = "scanned again";
      take_renewed(state, now, *numbers);
    });
  });
}

}  // namespace fathom::tui
