// LockRegistry: all lock profiles, and the sums of the destroyed ones.

#pragma once

#include <map>
#include <mutex>
#include <string>

#include "fathom/diag/lock_profile.h"
#include "fathom/diag/lock_report.h"

namespace fathom::diag {

// Thread-safe. Never destroyed: locks may outlive the static objects.
class LockRegistry {
 public:
  static LockRegistry& all();

  void enter(LockProfile& profile) noexcept;
  void leave(LockProfile& profile) noexcept;

  // The same object for the same name, kept forever.
  LockName& name(const std::string& name);

  // By name.
  [[nodiscard]] std::map<std::string, LockUsage> usages();

  // Locks everything that reports of locks need, in their order. For use around a fork.
  void lock();
  void unlock();

 private:
  std::mutex mutex_;
  LockProfile* first_ = nullptr;           // guarded by mutex_, as are the next two
  std::map<std::string, LockUsage> gone_;  // by name
  std::map<std::string, LockName> names_;  // by name; elements are never removed
};

}  // namespace fathom::diag
