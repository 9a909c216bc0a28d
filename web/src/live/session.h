// Session: what is served, as it comes about: a scan that may be repeated, snapshots of it while it
// runs and when it is complete, and a search for duplicates in the last one.
//
// Guarantees: a snapshot is handed out whole, and is replaced by the next one. Scans and searches
// run on a thread of the session's own, one at a time, and what they find reaches the loop's thread
// by posts. All belongs to the loop's thread, which must outlive it.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "api/duplicates_json.h"
#include "api/snapshot.h"
#include "api/status.h"
#include "fathom/fs/duplicates.h"
#include "fathom/fs/scan.h"
#include "fathom/rt/cancel.h"
#include "fathom/rt/net/event_loop.h"
#include "fathom/web/subject.h"

namespace fathom::web {

class Session {
 public:
  // changed: whenever the status, the snapshot or the search is not what it was; on the loop's
  // thread. It may call everything but the destructor.
  Session(rt::EventLoop& loop, Subject subject, std::function<void()> changed);
  // Cancels what runs, and waits for it.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] const Status& status() const { return status_; }
  // Null before the first.
  [[nodiscard]] const std::shared_ptr<const Snapshot>& snapshot() const { return snapshot_; }
  [[nodiscard]] const DuplicateState& duplicates() const { return duplicates_; }

  // False where one runs, or a search does, or what is served was saved.
  bool rescan();
  // The same.
  bool find_duplicates();

  // What runs ends soon; nothing else begins.
  void cancel();
  // Whether something runs: destroying the session would wait for it.
  [[nodiscard]] bool busy() const { return busy_; }

 private:
  void serve_saved();
  void scan();
  void search();
  template <class Work>
  void start(Work work);
  template <class Function>
  void post(Function function);

  // On the session's own thread.
  void run_scan();
  void tell_progress(const fs::Progress& known);
  void run_search(const std::shared_ptr<const Snapshot>& in);

  // On the loop's.
  void scan_ended(std::shared_ptr<const Snapshot> snapshot);
  void search_ended(const std::shared_ptr<const fs::Duplicates>& found);
  void failed(const std::string& why);
  void show(std::shared_ptr<const Snapshot> snapshot);
  void update_permissions();

  rt::EventLoop& loop_;
  const Subject subject_;
  const std::function<void()> changed_;
  const std::shared_ptr<Owners> owners_ = Owners::of_system();

  Status status_;
  std::shared_ptr<const Snapshot> snapshot_;
  DuplicateState duplicates_;
  std::uint64_t generation_ =
      0;  // of the last snapshot that was begun; its thread's while one runs
  bool busy_ = false;
  bool cancelled_ = false;

  rt::CancelSource cancel_;
  class Pace;
  std::unique_ptr<Pace> pace_;  // of snapshots; of the session's thread while one runs
  std::thread thread_;
  // Posted jobs may outlive the session: they look here whether it is still there.
  std::shared_ptr<Session*> self_ = std::make_shared<Session*>(this);
};

}  // namespace fathom::web
