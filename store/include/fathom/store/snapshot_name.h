// The names by which users choose a snapshot of a store.
//
//   @latest               the newest
//   @~2                   two before the newest, of its series
//   @2026-11-20           the last one that ended before the end of that day, local time; also
//                         @2026-11-20T15:30, a minute, and @2026-11-20T15:30:00, a second
//   @12h @7d @4w          the last one that is at least so old
//   @before-upgrade       the newest one with that tag
//   @91ab3c               the one whose id begins so: at least 4 digits
//   @20261123T060000Z-91ab3c0d   the name of its directory

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "fathom/store/store.h"

namespace fathom::store {

// Finds a snapshot by its name, with or without the "@" at its beginning. `now` is in nanoseconds
// since the epoch. If a path is given (absolute), moments and @~N are those of the series that it
// concerns, otherwise moments are those of all, and @~N counts in the series of the newest.
//
// Throws NotFound if there is none, or several, with a sentence that names an existing one instead.
[[nodiscard]] const StoredSnapshot& find_snapshot(std::span<const StoredSnapshot> oldest_first,
                                                  std::string_view name, std::int64_t now,
                                                  std::string_view path = {});

// Whether a text is the beginning of an id, and long enough to be a name.
[[nodiscard]] bool begins_id(std::string_view text, std::string_view id);

// "12h", "7d" or "4w" in seconds; nothing for other texts, nor for more than six digits or a 0 at
// the beginning. There is no m: it would be minutes to some, and months to others.
[[nodiscard]] std::optional<std::int64_t> age_of(std::string_view text);

// Whether a text is an allowed tag: 1 to 64 letters, digits and "._+-", and not a name of another
// kind.
[[nodiscard]] bool is_tag(std::string_view text);

}  // namespace fathom::store
