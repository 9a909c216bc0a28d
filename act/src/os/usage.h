// Usage: when an entry was last used, whether somebody has locked it, and where a link leads.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "os/safe_open.h"

namespace fathom::act {

// The youngest time of the entry and of everything in it, in seconds since the epoch: of reading
// (not of directories, which the search itself reads), of writing and of changes. Nothing if
// something could not be examined. Does not cross to another filesystem: what is there counts as
// used.
[[nodiscard]] std::optional<std::int64_t> last_use(const Location& location);

// Whether the entry has a sticky bit, or a process holds a lock on it (flock).
[[nodiscard]] bool is_locked(const Location& location);

// Whether the symbolic link there leads to nothing; an error other than that counts as no.
[[nodiscard]] bool is_dangling(const Location& location);

// Whether an absolute path leads to a directory, also through links.
[[nodiscard]] bool is_directory(const std::string& path);

// Whether a path leads to the directory at another one, or to something below it, also through
// links; an error counts as yes.
[[nodiscard]] bool same_or_below(const std::string& path, const std::string& folder);

}  // namespace fathom::act
