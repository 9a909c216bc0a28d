// own_surroundings: reads the environment, the user database, the mount table and /proc/swaps.

#include "fathom/act/surroundings.h"

#include <fcntl.h>
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "fathom/base/path.h"
#include "os/processes.h"
#include "os/small_file.h"

namespace fathom::act {

namespace {

// The absolute path in a variable, without links; an empty or a relative one counts as unset.
std::optional<std::string> path_in(const char* variable) {
  const char* const value = std::getenv(variable);
  if (value == nullptr || *value != '/') return std::nullopt;
  std::string path = value;
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

// The same place without links; the path itself if nothing is there yet.
std::string resolved(const std::string& path) {
  return base::real_path(path).value_or(path);
}

std::optional<std::string> home_of(uid_t user) {
  std::array<char, 16384> room{};
  struct passwd entry = {};
  struct passwd* found = nullptr;
  if (::getpwuid_r(user, &entry, room.data(), room.size(), &found) != 0) return std::nullopt;
  if (found == nullptr || found->pw_dir == nullptr || *found->pw_dir != '/') return std::nullopt;
  return found->pw_dir;
}

// A directory of the XDG specification, or of a program: its variable, where it lies by default,
// and what it is. An empty description: a rule may select it.
struct Root {
  const char* variable;
  const char* base;  // the variable below which it lies by default
  const char* below;
  const char* is;
};

constexpr Root kRoots[] = {
    {"XDG_CACHE_HOME", "HOME", "/.cache", "your cache directory"},
    {"XDG_CONFIG_HOME", "HOME", "/.config", "your directory of settings"},
    {"XDG_DATA_HOME", "HOME", "/.local/share", "your directory of data"},
    {"XDG_STATE_HOME", "HOME", "/.local/state", "your directory of states"},
    {"GOCACHE", "XDG_CACHE_HOME", "/go-build", ""},
    {"GOPATH", "HOME", "/go", ""},
    {"GOMODCACHE", "GOPATH", "/pkg/mod", ""},
    {"CARGO_HOME", "HOME", "/.cargo", ""},
    {"GRADLE_USER_HOME", "HOME", "/.gradle", ""},
};

void add_roots(Surroundings& around) {
  for (const Root& root : kRoots) {
    std::optional<std::string> path = path_in(root.variable);
    if (!path) {
      const auto base = around.variables.find(root.base);
      if (base == around.variables.end()) continue;
      path = base->second + root.below;
    }
    const std::string place = resolved(*path);
    around.variables[root.variable] = place;
    if (*root.is != '\0') around.places.push_back({place, root.is});
  }
  if (const auto runtime = path_in("XDG_RUNTIME_DIR")) {
    around.places.push_back({resolved(*runtime), "your directory of sockets"});
  }
}

void add_homes(Surroundings& around) {
  std::optional<std::string> home = path_in("HOME");
  for (const uid_t user : {::geteuid(), ::getuid()}) {
    const std::optional<std::string> listed = home_of(user);
    if (!listed) continue;
    if (!home) home = listed;
    around.places.push_back({resolved(*listed), "a home directory"});
  }
  if (!home) return;
  around.variables["HOME"] = resolved(*home);
  around.places.insert(around.places.begin(), {resolved(*home), "your home directory"});
  around.places.push_back({resolved(*home) + "/.local", "a directory of settings and data"});
}

// The first column of /proc/swaps, without its heading.
std::vector<std::string> swap_files() {
  std::vector<std::string> files;
  std::istringstream lines(read_small_file("/proc/swaps").value_or(""));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) files.push_back(line.substr(0, line.find_first_of(" \t")));
  return files;
}

}  // namespace

Surroundings own_surroundings() {
  Surroundings around;
  around.uid = ::geteuid();
  around.variables["ROOT"] = "";
  around.variables["UID"] = std::to_string(around.uid);
  add_homes(around);
  add_roots(around);
  around.mounts = fs::own_mounts();
  around.swap_files = swap_files();
  around.programs = running_programs();
  return around;
}

}  // namespace fathom::act
