// make_location: the location of a path below a directory; missing directories above it are made.

#pragma once

#include <cerrno>
#include <string>

#include "os/mutating_ops.h"
#include "os/safe_open.h"
#include "run/unsynced.h"

namespace fathom::act {

// Returns 0 or -errno. The path must be plain. Adds the directories that it has changed to
// `unsynced`.
[[nodiscard]] int make_location(int root, const std::string& path, const MutatingOps& ops,
                                Unsynced& unsynced, Location& location);

// Opens a directory by its absolute path, after making it and those above it that are missing.
[[nodiscard]] int open_or_make_folder(const std::string& path, const MutatingOps& ops,
                                      Unsynced& unsynced, base::Fd& folder);

// Another run may remove a directory while it is empty: calls act() again, up to 100 times, while
// it returns -ENOENT.
template <typename Act>
[[nodiscard]] int again_if_removed(const Act& act) {
  constexpr int kTries = 100;
  int result = -ENOENT;
  for (int i = 0; i < kTries && result == -ENOENT; ++i) result = act();
  return result;
}

}  // namespace fathom::act
