// Surroundings: what this user and this machine have that decides which entries may be touched.
//
// Read once, before the first decision. A test fills it by hand, so that a tree in a temporary
// directory can play a home directory.
//
//   const Surroundings around = own_surroundings();
//   around.variables.at("XDG_CACHE_HOME");   // "/home/ana/.cache"

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fathom/fs/mounts.h"

namespace fathom::act {

// A directory that may never be removed, and neither may one that contains it.
struct GuardedPlace {
  std::string path;  // absolute, without links
  std::string is;    // what it is: "your home directory"
};

struct Surroundings {
  std::uint32_t uid = 0;
  // What $NAME stands for in the paths of rules: HOME, the directories of the XDG specification,
  // GOCACHE, GOMODCACHE, UID, and ROOT, which is empty. Absolute, without links. A variable of the
  // environment that is empty or not absolute counts as unset.
  std::map<std::string, std::string, std::less<>> variables;
  std::vector<GuardedPlace> places;
  std::vector<fs::Mount> mounts;
  std::vector<std::string> swap_files;          // in use
  std::set<std::string, std::less<>> programs;  // the names of all processes
};

// Those of this process: from the environment, the user database, and /proc.
[[nodiscard]] Surroundings own_surroundings();

}  // namespace fathom::act
