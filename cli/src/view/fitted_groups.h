// FittedGroups: how many groups of two lists fit on a screen, the ones that waste most first.
//
// A pure function; both lists are ordered by wasted bytes, the most first.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fathom::cli {

struct GroupRows {
  std::uint64_t wasted_bytes = 0;
  std::size_t rows = 0;
  bool marked = false;  // it has marks that are explained below the lists
};

// What fit_groups() knows about a list.
struct GroupList {
  std::vector<GroupRows> groups;  // as many as might fit
  std::size_t size = 0;           // all of them
};

struct FittedGroups {
  std::size_t directories = 0;  // shown, as is the next
  std::size_t files = 0;
  bool fits = true;  // false: not even the first group does, but it is shown
  friend bool operator==(const FittedGroups&, const FittedGroups&) = default;
};

// The rows around the groups.
struct RowsAround {
  std::size_t heading = 0;  // above each list
  std::size_t between = 0;  // between the lists
  std::size_t marks = 0;    // below the lists, if a group has marks
  std::size_t closing = 0;  // at the end, if not all groups are shown
};

// At least one group is shown, if there is one, even if it does not fit. No group is shown while
// one that wastes more is not; among equal ones, directories come first.
[[nodiscard]] FittedGroups fit_groups(const GroupList& directories, const GroupList& files,
                                      const RowsAround& around, std::size_t rows);

}  // namespace fathom::cli
