// Owners: a cache of the names of users and groups.
//
// Guarantees: thread-safe. While the system looks up a name, which may need a request to a server,
// other threads do not wait.
//
//   owners.user(0);  // "root"

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "fathom/base/mutex.h"
#include "fathom/fs/owner_names.h"

namespace fathom::web {

class Owners {
 public:
  using Name = std::optional<std::string>;  // bytes; nothing if there is no name

  explicit Owners(fs::OwnerNames names);

  // The shared instance for this machine.
  [[nodiscard]] static std::shared_ptr<Owners> of_system();

  // Return nothing for kUnknownOwner.
  [[nodiscard]] Name user(std::uint32_t id);
  [[nodiscard]] Name group(std::uint32_t id);

 private:
  using Known = std::unordered_map<std::uint32_t, Name>;

  Name name(Known& known, const fs::OwnerNames::NameOf& name_of, std::uint32_t id);

  const fs::OwnerNames names_;
  base::Mutex mutex_ = base::named_mutex("owners");  // guards users_ and groups_
  Known users_;
  Known groups_;
};

}  // namespace fathom::web
