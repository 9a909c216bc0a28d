#include "lock/registry.h"

#include <exception>

namespace fathom::diag {

LockRegistry& LockRegistry::all() {
  static LockRegistry* const registry = new LockRegistry;
  return *registry;
}

void LockRegistry::enter(const LockProfile& profile) {
  const std::lock_guard lock(mutex_);
  profiles_.push_back(&profile);
}

void LockRegistry::leave(const LockProfile& profile) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase(profiles_, &profile);
  try {
    profile.add_to(gone_[profile.name()]);
  } catch (const std::exception&) {
    // Without memory for it what it has seen is forgotten.
  }
}

const char* LockRegistry::span_name(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return span_names_.try_emplace(name, "lock " + name).first->second.c_str();
}

std::map<std::string, LockUsage> LockRegistry::usages() {
  const std::lock_guard lock(mutex_);
  std::map<std::string, LockUsage> usages = gone_;
  for (const LockProfile* const profile : profiles_) profile->add_to(usages[profile->name()]);
  for (auto& [name, usage] : usages) usage.name = name;
  return usages;
}

}  // namespace fathom::diag
