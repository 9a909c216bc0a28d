// Session: the threads that scan, prepare what the screens show, and search.
//
// Results are functions that the thread of the terminal takes and calls with its state. wake is
// called whenever there are some, on any thread.

#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/fs/owner_names.h"
#include "fathom/fs/scan.h"
#include "fathom/rt/cancel.h"
#include "job_thread.h"
#include "model/state.h"
#include "searches.h"

namespace fathom::tui {

class Session {
 public:
  using Result = std::function<void(State& state)>;

  // find_growth is as in BrowseOptions.
  Session(fs::ScanOptions scan, fs::OwnerNames names, FindGrowth find_growth,
          std::function<void()> wake);
  // Cancels a running scan, and waits for it.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Each of these is done after the others.
  void scan();
  void rescan(std::shared_ptr<const Facts> facts, fs::DirId directory, const std::string& path);
  void make_extras(std::shared_ptr<const Facts> facts, fs::Measure measure);

  // At the same time as those: searches are done one after the other. One of the same kind that has
  // not ended is cancelled, and its result forgotten.
  void search(Search search, std::shared_ptr<const Facts> facts, fs::Measure measure);

  // The scan that was begun last; a search; and all searches.
  void cancel();
  void cancel_search(Search search);
  void cancel_searches();

  // Whether snapshots of a running scan come with their extras.
  void want_extras(bool wanted, fs::Measure measure);

  [[nodiscard]] std::vector<Result> take_results();

 private:
  void post(Result result);
  [[nodiscard]] Findings found(Search search, const SearchJob& job, fs::Measure measure) const;
  void begin(std::function<void()> job);

  [[nodiscard]] rt::CancelToken new_cancel();
  void run_scan(const rt::CancelToken& cancelled);
  // How far a scan is; with a snapshot or, if it is too early for another one, without.
  struct Told {
    std::uint64_t entries = 0;
    double seconds = 0;
    std::shared_ptr<const Facts> facts;
    std::shared_ptr<const Extras> extras;
  };
  void tell(Told told);
  [[nodiscard]] Told take_told();
  void tell_progress(const fs::Progress& known, const rt::CancelToken& cancelled);
  [[nodiscard]] std::shared_ptr<const Extras> wanted_extras(std::shared_ptr<const Facts> facts);

  const fs::ScanOptions options_;
  const fs::OwnerNames names_;
  const FindGrowth find_growth_;
  const std::function<void()> wake_;
  std::shared_ptr<rt::CancelSource> cancel_;  // of the last scan; belongs to the caller
  std::array<std::shared_ptr<rt::CancelSource>, kSearches> cancel_searches_;  // the same
  base::atomic<bool> wants_extras_{false};
  base::atomic<fs::Measure> measure_{fs::Measure::disk};
  double next_snapshot_ = 0;  // in seconds of the scan

  std::mutex mutex_;  // guards the next two
  std::vector<Result> results_;
  std::optional<Told> told_;  // and not taken yet: what is newer replaces it
  JobThread searching_;       // last: they use all of the above
  JobThread scanning_;
};

}  // namespace fathom::tui
