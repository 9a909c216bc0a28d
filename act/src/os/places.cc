// Places: candidates, and whether the user alone can use them.

#include "os/places.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "os/file_state.h"
#include "os/paths.h"

namespace fathom::act {

namespace {

std::optional<MountId> mount_of(const std::string& path) {
  return mount_id_at(AT_FDCWD, path.c_str());
}

std::string user_number() {
  return std::to_string(::geteuid());
}

// A directory of an environment variable, or one below the home directory; empty if there is none.
std::string directory_of(const char* variable, const char* below_home) {
  const char* const chosen = std::getenv(variable);
  if (chosen != nullptr && chosen[0] == '/') return chosen;
  const char* const home = std::getenv("HOME");
  return home != nullptr && home[0] == '/' ? joined(home, below_home) : std::string();
}

bool can_add_names(const std::string& folder) {
  return ::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0;
}

bool belongs_to_us_alone(const struct stat& seen) {
  return S_ISDIR(seen.st_mode) && seen.st_uid == ::geteuid() && (seen.st_mode & 077) == 0;
}

// Whether the path is a directory that belongs to this user and to nobody else, or can become one
// on this mount. Another user may have made one with this name in a directory like /tmp.
bool is_own_or_new(const std::string& path, const MountId& mount) {
  struct stat seen = {};
  if (::lstat(path.c_str(), &seen) == 0) {
    return belongs_to_us_alone(seen) && mount_of(path) == mount;
  }
  if (errno != ENOENT) return false;
  std::string above = parent_of(path);
  while (!mount_of(above) && above != "/") above = parent_of(above);
  return mount_of(above) == mount && can_add_names(above);
}

std::string quarantine_name() {
  return ".fathom-quarantine-" + user_number();
}

// Empty if the user has no state directory.
std::string quarantine_in_state() {
  const std::string state = directory_of("XDG_STATE_HOME", ".local/state");
  return state.empty() ? std::string() : state + "/fathom/quarantine";
}

}  // namespace

std::string top_of_mount(const std::string& folder) {
  std::string top = folder;
  const auto mount = mount_of(top);
  while (top != "/" && mount_of(parent_of(top)) == mount) top = parent_of(top);
  return top;
}

bool is_own_alone(int folder) {
  struct stat seen = {};
  return ::fstat(folder, &seen) == 0 && belongs_to_us_alone(seen);
}

std::optional<std::string> default_quarantine(const std::string& folder, const std::string& root) {
  const auto mount = mount_of(folder);
  if (!mount) return std::nullopt;
  for (const std::string& candidate :
       {joined(top_of_mount(folder), quarantine_name()), quarantine_in_state(),
        joined(parent_of(root), quarantine_name())}) {
    if (!candidate.empty() && is_own_or_new(candidate, *mount)) return candidate;
  }
  return std::nullopt;
}

void remove_empty_quarantine(const std::string& path, const MutatingOps& ops) {
  Location location;
  location.name = last_name(path);
  if (location.name != quarantine_name() || open_root(parent_of(path), location.folder) < 0) return;
  static_cast<void>(ops.remove_folder(location));
}

std::set<std::string> own_quarantines(const std::vector<std::string>& folders) {
  std::set<std::string> found;
  const auto add = [&](const std::string& path) {
    struct stat seen = {};
    if (!path.empty() && ::lstat(path.c_str(), &seen) == 0 && belongs_to_us_alone(seen)) {
      found.insert(path);
    }
  };
  add(quarantine_in_state());
  for (const std::string& folder : folders) add(joined(folder, quarantine_name()));
  return found;
}

std::optional<Trash> trash_for(const std::string& folder) {
  const auto mount = mount_of(folder);
  const std::string data = directory_of("XDG_DATA_HOME", ".local/share");
  if (!mount) return std::nullopt;
  if (!data.empty()) {
    const std::string home = data + "/Trash";
    if (is_own_or_new(home, *mount)) return Trash{home, {}};
  }
  const std::string top = top_of_mount(folder);
  const std::string shared = joined(top, ".Trash");
  struct stat seen = {};
  if (::lstat(shared.c_str(), &seen) == 0 && S_ISDIR(seen.st_mode) &&
      (seen.st_mode & S_ISVTX) != 0 && is_own_or_new(joined(shared, user_number()), *mount)) {
    return Trash{joined(shared, user_number()), top};
  }
  const std::string own = joined(top, ".Trash-" + user_number());
  if (is_own_or_new(own, *mount)) return Trash{own, top};
  return std::nullopt;
}

}  // namespace fathom::act
