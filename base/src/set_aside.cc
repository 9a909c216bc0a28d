// SetAside: compares each name of a path.

#include "fathom/base/set_aside.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "fathom/base/path.h"

namespace fathom::base {

namespace {

constexpr std::string_view kIsInTrash = "is in a trash";
constexpr std::string_view kTrash = ".Trash";

bool is_in_home(std::string_view path, std::string_view name, const std::string& home,
                std::string_view by_default) {
  const std::string_view folder = path.substr(0, path.size() - name.size() - 1);
  return folder.ends_with(by_default) || (!home.empty() && folder == home);
}

// ".Trash", which has a directory for each user, or ".Trash-1000".
bool is_trash(std::string_view name) {
  if (!name.starts_with(kTrash)) return false;
  const std::string_view user = name.substr(kTrash.size());
  return user.empty() || (user.size() > 1 && user[0] == '-' &&
                          user.find_first_not_of("0123456789", 1) == std::string_view::npos);
}

// The directory that a variable names, or the one below the home directory; without links.
std::string home_in(const char* variable, const char* below_home) {
  const char* chosen = std::getenv(variable);
  std::string path = chosen != nullptr ? chosen : "";
  if (!path.starts_with('/')) {
    const char* const home = std::getenv("HOME");
    if (home == nullptr || *home != '/') return {};
    path = joined_path(home, below_home);
  }
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return real_path(path).value_or(path);
}

}  // namespace

std::optional<std::string_view> SetAside::why(std::string_view path) const {
  std::optional<std::string_view> found;
  for (std::size_t begin = 1; begin < path.size() && found != kBelongsToFathom;) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view name = path.substr(begin, end - begin);
    if (const auto why = why_at(path.substr(0, end), name)) found = why;
    begin = end + 1;
  }
  return found;
}

bool SetAside::is_possible_name(std::string_view name) {
  return name.starts_with(".fathom-") || name == "fathom" || is_trash(name) || name == "Trash";
}

std::optional<std::string_view> SetAside::why_at(std::string_view path,
                                                 std::string_view name) const {
  if (!is_possible_name(name)) return std::nullopt;
  if (name.starts_with(".fathom-")) return kBelongsToFathom;
  if (is_trash(name)) return kIsInTrash;
  const bool is_in_data = is_in_home(path, name, data_home_, "/.local/share");
  if (name == "Trash") return is_in_data ? std::optional(kIsInTrash) : std::nullopt;
  const bool is_own = is_in_data || is_in_home(path, name, state_home_, "/.local/state");
  return is_own ? std::optional(kBelongsToFathom) : std::nullopt;
}

SetAside own_set_aside() {
  return {home_in("XDG_DATA_HOME", ".local/share"), home_in("XDG_STATE_HOME", ".local/state")};
}

}  // namespace fathom::base
