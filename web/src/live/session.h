// Session: the data to serve: a scan, which can be repeated, snapshots of it while it runs and when
// it has ended, and searches in the last snapshot, for duplicates and for what can be cleaned up.
// A live session also makes a new snapshot when something has changed.
//
// Guarantees: a snapshot is immutable, and is replaced by the next one. Scans and searches run one
// at a time on a thread of the session, and post their results to the loop; updates of a live
// session run beside searches, on another thread. The object belongs to the thread of the loop,
// which must outlive it.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "api/clean_answer.h"
#include "api/duplicates_answer.h"
#include "api/snapshot.h"
#include "api/status.h"
#include "fathom/fs/duplicates.h"
#include "fathom/fs/scan.h"
#include "fathom/rt/cancel.h"
#include "fathom/rt/net/event_loop.h"
#include "fathom/web/subject.h"
#include "live/follower.h"

namespace fathom::web {

class Session {
 public:
  // Throws base::Error if the session is to be live, but the filesystems cannot be followed.
  // changed: called on the thread of the loop after the status, the snapshot or the search has
  // changed. It may call every function except the destructor.
  Session(rt::EventLoop& loop, Subject subject, std::function<void()> changed);
  // Cancels a running scan or search, and waits for it.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] const Status& status() const { return status_; }
  // Null before the first snapshot.
  [[nodiscard]] const std::shared_ptr<const Snapshot>& snapshot() const { return snapshot_; }
  [[nodiscard]] const DuplicateState& duplicates() const { return duplicates_; }
  [[nodiscard]] const CleanState& clean() const { return clean_; }

  // Each returns false if a scan or a search runs, or if a saved scan is served. A scan that is
  // asked for during an update follows it; no search begins before that scan.
  bool rescan();
  bool find_duplicates();
  bool find_clean();

  // Cancels a running search, after which another one can begin; false if none runs.
  bool cancel_search();
  // Cancels a running scan or search, and prevents new ones.
  void cancel();
  // Whether a scan or a search runs; the destructor would wait for it.
  [[nodiscard]] bool busy() const { return busy_ || updating_; }

 private:
  void serve_saved();
  [[nodiscard]] bool can_search() const;
  void scan();
  void search();
  void search_clean();
  enum class Kind : std::uint8_t { scan, duplicates, clean };
  template <class Work>
  void start(Kind kind, Work work);
  [[nodiscard]] rt::CancelToken begin_search();
  void ended();
  template <class Function>
  void post(Function function);

  // Of a live session.
  void something_changed();
  void plan_update();
  void update();
  void run_update(const std::shared_ptr<const Snapshot>& before, std::uint64_t generation);
  [[nodiscard]] std::vector<std::string> not_followed(const Snapshot& snapshot) const;
  void update_ended(const std::shared_ptr<const Snapshot>& snapshot, bool has_failed);

  // On the thread of the session.
  void run_scan();
  void tell_progress(const fs::Progress& known);
  void run_search(const std::shared_ptr<const Snapshot>& in, const rt::CancelToken& cancel);
  void run_clean(const std::shared_ptr<const Snapshot>& in, const rt::CancelToken& cancel);

  // On the thread of the loop.
  void scan_ended(std::shared_ptr<const Snapshot> snapshot);
  void search_ended(const std::shared_ptr<const fs::Duplicates>& found);
  void clean_ended(const std::shared_ptr<const CleanFound>& found);
  void failed(Kind kind, const std::string& why);
  void show(std::shared_ptr<const Snapshot> snapshot);
  void update_permissions();

  rt::EventLoop& loop_;
  const Subject subject_;
  const std::function<void()> changed_;
  const std::shared_ptr<Owners> owners_;

  Status status_;
  std::shared_ptr<const Snapshot> snapshot_;
  DuplicateState duplicates_;
  CleanState clean_;
  // Of the last snapshot that was begun. Belongs to thread_ while that runs.
  std::uint64_t generation_ = 0;
  bool busy_ = false;
  bool searching_ = false;
  bool cancelled_ = false;

  rt::CancelSource cancel_;
  rt::CancelSource search_cancel_;  // of the last search, linked to cancel_
  class Pace;
  std::unique_ptr<Pace> pace_;  // of snapshots; belongs to thread_ while that runs
  std::thread thread_;

  // Of a live session.
  bool has_changed_ = false;     // since the last update began
  bool update_planned_ = false;  // by the timer
  bool updating_ = false;        // on update_thread_
  bool scan_follows_ = false;    // was asked for during an update
  // The last scan or update has failed, so that its changes are lost. Belongs to its thread.
  bool must_scan_again_ = false;
  rt::EventLoop::Time update_began_;
  rt::EventLoop::Time next_update_ = rt::EventLoop::Time::min();
  rt::EventLoop::Timer update_timer_;
  std::thread update_thread_;
  std::unique_ptr<Follower> follower_;
  // Posted jobs may outlive the session; they check here whether it still exists.
  std::shared_ptr<Session*> self_ = std::make_shared<Session*>(this);
};

}  // namespace fathom::web
