// OwnerNames: the names of users and groups.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace fathom::fs {

// Called once for each id that a report lists. Names are bytes: a directory service may hold any.
struct OwnerNames {
  using NameOf = std::function<std::optional<std::string>(std::uint32_t id)>;
  NameOf user;
  NameOf group;
};

// Names from the system: files, directory services, or whatever it is configured to use.
[[nodiscard]] OwnerNames system_owner_names();

}  // namespace fathom::fs
