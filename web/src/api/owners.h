// Owners: what users and groups are called, each asked for once.
//
// Guarantees: any number of threads may ask. While the system looks for a name, which may take it
// a question to a server, nobody else waits.
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
  using Name = std::optional<std::string>;  // bytes; nothing when there is none

  explicit Owners(fs::OwnerNames names);

  // Those of this machine, the same for all.
  [[nodiscard]] static std::shared_ptr<Owners> of_system();

  // Nothing for kUnknownOwner.
  [[nodiscard]] Name user(std::uint32_t id);
  [[nodiscard]] Name group(std::uint32_t id);

 private:
  using Known = std::unordered_map<std::uint32_t, Name>;

  Name name(Known& known, const fs::OwnerNames::NameOf& name_of, std::uint32_t id);

  const fs::OwnerNames names_;
  base::Mutex mutex_ = base::named_mutex("owners");  // guards what follows
  Known users_;
  Known groups_;
};

}  // namespace fathom::web
