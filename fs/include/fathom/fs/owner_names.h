// OwnerNames: what users and groups are called.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace fathom::fs {

// Asked once for each number that a report lists. Names are bytes: a directory service may hold
// any.
struct OwnerNames {
  using NameOf = std::function<std::optional<std::string>(std::uint32_t id)>;
  NameOf user;
  NameOf group;
};

// As the system knows them: files, directory services, whatever it is configured to ask.
[[nodiscard]] OwnerNames system_owner_names();

}  // namespace fathom::fs
