// Session: the thread that scans, and prepares what the screens show.
//
// Results are functions that the thread of the terminal takes and calls with its state. wake is
// called whenever there are some, on any thread.

#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/fs/owner_names.h"
#include "fathom/fs/scan.h"
#include "fathom/rt/cancel.h"
#include "model/state.h"

namespace fathom::tui {

class Session {
 public:
  using Result = std::function<void(State& state)>;

  Session(fs::ScanOptions scan, fs::OwnerNames names, std::function<void()> wake);
  // Cancels a running scan, and waits for it.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Each is done after the others.
  void scan();
  void rescan(std::shared_ptr<const Facts> facts, fs::DirId directory, const std::string& path);
  void make_extras(std::shared_ptr<const Facts> facts, fs::Measure measure);

  // The scan that was begun last.
  void cancel();

  // Whether snapshots of a running scan come with their extras.
  void want_extras(bool wanted, fs::Measure measure);

  [[nodiscard]] std::vector<Result> take_results();

 private:
  void run();
  void post(Result result);
  void do_job(const std::function<void()>& job);
  void begin(std::function<void()> job);

  [[nodiscard]] rt::CancelToken new_cancel();
  void run_scan(const rt::CancelToken& cancelled);
  void tell_progress(const fs::Progress& known, const rt::CancelToken& cancelled);
  [[nodiscard]] std::shared_ptr<const Extras> wanted_extras(std::shared_ptr<const Facts> facts);

  const fs::ScanOptions options_;
  const fs::OwnerNames names_;
  const std::function<void()> wake_;
  std::shared_ptr<rt::CancelSource> cancel_;  // of the last scan; belongs to the caller
  base::atomic<bool> wants_extras_{false};
  base::atomic<fs::Measure> measure_{fs::Measure::disk};
  double next_snapshot_ = 0;  // in seconds of the scan

  std::mutex mutex_;  // guards the next four
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  std::vector<Result> results_;
  bool ending_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace fathom::tui
