// Follower: a thread that collects what changes on the filesystems of a scan.
//
// Thread-safe.

#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "fathom/base/fd.h"
#include "fathom/fs/watch.h"

namespace fathom::web {

class Follower {
 public:
  // Follows from now on. `changed` is called on the thread of the follower when something has
  // changed, once until the next take(). Throws as fs::Watch does.
  Follower(const std::vector<std::string>& roots, std::function<void()> changed);
  ~Follower();
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  // Both may wait for the thread, which may have much to do.
  [[nodiscard]] fs::Changes take();
  [[nodiscard]] std::vector<std::string> not_followed() const;

 private:
  void run() noexcept;
  bool read();

  const std::function<void()> changed_;
  mutable std::mutex mutex_;
  fs::Watch watch_;      // guarded by mutex_
  bool failed_ = false;  // guarded by mutex_: there was no memory for what has changed
  bool told_ = false;    // guarded by mutex_: `changed` was called since the last take()
  base::Fd stop_;        // closing it stops the thread
  base::Fd stopped_;
  std::thread thread_;
};

}  // namespace fathom::web
