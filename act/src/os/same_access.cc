// access_difference: compares owners, permissions and extended attributes.

#include "os/same_access.h"

#ifdef __linux__
#include <sys/xattr.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <map>
#include <string_view>

#include "fathom/base/retry.h"

namespace fathom::act {

namespace {

using Attributes = std::map<std::string, std::string>;

#ifdef __linux__

// Calls call(room, size), which returns the required size, until everything fits.
template <class Call>
int read_whole(Call call, std::string& text) {
  for (;;) {
    const int needed =
        base::retry_errno([&] { return static_cast<int>(call(nullptr, std::size_t{0})); });
    if (needed < 0) return needed;
    text.resize(static_cast<std::size_t>(needed));
    if (needed == 0) return 0;
    const int got =
        base::retry_errno([&] { return static_cast<int>(call(text.data(), text.size())); });
    if (got == -ERANGE) continue;  // it has grown
    if (got < 0) return got;
    text.resize(static_cast<std::size_t>(got));
    return 0;
  }
}

// The kernel computes it from the inode number as well, so it differs for all files.
bool is_of_the_inode(std::string_view name) {
  return name == "security.evm";
}

int read_attributes(int file, Attributes& attributes) {
  std::string names;
  int result =
      read_whole([&](char* to, std::size_t room) { return ::flistxattr(file, to, room); }, names);
  if (result == -ENOTSUP) return 0;
  for (std::size_t at = 0; result == 0 && at < names.size();) {
    const std::string name = names.c_str() + at;
    at += name.size() + 1;
    if (is_of_the_inode(name)) continue;
    const auto get = [&](char* to, std::size_t room) {
      return ::fgetxattr(file, name.c_str(), to, room);
    };
    result = read_whole(get, attributes[name]);
    if (result == -ENODATA) {  // removed in the meantime
      attributes.erase(name);
      result = 0;
    }
  }
  return result;
}

#else

int read_attributes(int, Attributes&) {
  return 0;
}

#endif

std::string describe(const std::string& name) {
  if (name == "system.posix_acl_access") return "the access control list differs";
  return "the extended attribute " + name + " differs";
}

}  // namespace

std::string access_difference(int a, const FileState& a_state, int b, const FileState& b_state) {
  if (a_state.uid != b_state.uid) return "the owner differs";
  if (a_state.gid != b_state.gid) return "the group differs";
  if (a_state.mode != b_state.mode) return "the permissions differ";
  Attributes of_a;
  Attributes of_b;
  if (read_attributes(a, of_a) != 0 || read_attributes(b, of_b) != 0) {
    return "the extended attributes cannot be read";
  }
  if (of_a == of_b) return {};
  for (const auto& [name, value] : of_a) {
    const auto other = of_b.find(name);
    if (other == of_b.end() || other->second != value) return describe(name);
  }
  const auto only_b = std::find_if(of_b.begin(), of_b.end(),
                                   [&](const auto& it) { return of_a.count(it.first) == 0; });
  return describe(only_b->first);
}

}  // namespace fathom::act
