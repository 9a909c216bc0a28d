// Owners: lookups, made without holding the lock.

#include "api/owners.h"

#include <mutex>
#include <utility>

#include "fathom/fs/tree.h"

namespace fathom::web {

Owners::Owners(fs::OwnerNames names) : names_(std::move(names)) {}

std::shared_ptr<Owners> Owners::of_system() {
  static const auto owners = std::make_shared<Owners>(fs::system_owner_names());
  return owners;
}

Owners::Name Owners::user(std::uint32_t id) {
  return name(users_, names_.user, id);
}

Owners::Name Owners::group(std::uint32_t id) {
  return name(groups_, names_.group, id);
}

// Two threads may look up the same id at the same time; both get the same name.
Owners::Name Owners::name(Known& known, const fs::OwnerNames::NameOf& name_of, std::uint32_t id) {
  if (id == fs::kUnknownOwner) return std::nullopt;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known.find(id); found != known.end()) return found->second;
  }
  Name name = name_of(id);
  const std::lock_guard lock(mutex_);
  return known.emplace(id, std::move(name)).first->second;
}

}  // namespace fathom::web
