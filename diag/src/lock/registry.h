// LockRegistry: all profiles of locks, and what those have left that are gone.

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

  // "lock NAME", which is kept.
  const char* span_name(const std::string& name);

  // By name.
  [[nodiscard]] std::map<std::string, LockUsage> usages();

  // All that reports of locks need, in the order in which they take it. Around a fork.
  void lock();
  void unlock();

 private:
  std::mutex mutex_;
  LockProfile* first_ = nullptr;                   // guarded by mutex_, as are the next two
  std::map<std::string, LockUsage> gone_;          // by name
  std::map<std::string, std::string> span_names_;  // by name; elements stay
};

}  // namespace fathom::diag
