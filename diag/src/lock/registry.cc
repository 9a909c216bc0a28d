// LockRegistry: a list of live profiles, and the sums of destroyed ones.

#include "lock/registry.h"

#include <exception>

#include "lock/thread_names.h"
#include "mind_forks.h"

namespace fathom::diag {

LockRegistry& LockRegistry::all() {
  static LockRegistry* const registry = [] {
    mind_forks<LockRegistry>();
    return new LockRegistry;
  }();
  return *registry;
}

void LockRegistry::enter(LockProfile& profile) noexcept {
  const std::lock_guard lock(mutex_);
  profile.next_ = first_;
  if (first_ != nullptr) first_->previous_ = &profile;
  first_ = &profile;
}

void LockRegistry::leave(LockProfile& profile) noexcept {
  const std::lock_guard lock(mutex_);
  (profile.previous_ == nullptr ? first_ : profile.previous_->next_) = profile.next_;
  if (profile.next_ != nullptr) profile.next_->previous_ = profile.previous_;
  try {
    profile.add_to(gone_[profile.name()]);
  } catch (const std::exception&) {
    // Without memory, its measurements are lost.
  }
}

LockName& LockRegistry::name(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return names_.try_emplace(name, name).first->second;
}

std::map<std::string, LockUsage> LockRegistry::usages() {
  const std::lock_guard lock(mutex_);
  std::map<std::string, LockUsage> usages = gone_;
  for (const LockProfile* profile = first_; profile != nullptr; profile = profile->next_) {
    profile->add_to(usages[profile->name()]);
  }
  for (auto& [name, usage] : usages) usage.name = name;
  return usages;
}

void LockRegistry::lock() {
  mutex_.lock();
  LockProfile::waiters_mutex_.lock();
  lock_thread_names();
}

void LockRegistry::unlock() {
  unlock_thread_names();
  LockProfile::waiters_mutex_.unlock();
  mutex_.unlock();
}

}  // namespace fathom::diag
