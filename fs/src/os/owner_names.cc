// system_owner_names: getpwuid_r and getgrgid_r with a growing buffer.

#include "fathom/fs/owner_names.h"

#include <grp.h>
#include <pwd.h>

#include <cerrno>
#include <cstddef>
#include <vector>

namespace fathom::fs {

namespace {

// The name from getpwuid_r() or getgrgid_r(), whose buffer must fit the whole record, including all
// members of a group.
template <class Record>
std::optional<std::string> name_by(int (*look_up)(unsigned, Record*, char*, std::size_t, Record**),
                                   char* Record::*name, std::uint32_t id) {
  constexpr std::size_t kUsual = 4 * 1024;
  constexpr std::size_t kMost = 64 * 1024 * 1024;
  std::vector<char> room(kUsual);
  for (;;) {
    Record record = {};
    Record* found = nullptr;
    const int error = look_up(id, &record, room.data(), room.size(), &found);
    if (error == EINTR) continue;
    if (error == ERANGE && room.size() < kMost) {
      room.resize(2 * room.size());
      continue;
    }
    if (error != 0 || found == nullptr) return std::nullopt;
    return std::string(record.*name);
  }
}

}  // namespace

OwnerNames system_owner_names() {
  return {
      .user = [](std::uint32_t id) { return name_by(&::getpwuid_r, &passwd::pw_name, id); },
      .group = [](std::uint32_t id) { return name_by(&::getgrgid_r, &group::gr_name, id); },
  };
}

}  // namespace fathom::fs
