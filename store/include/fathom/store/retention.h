// Retention: which snapshots are kept when others are added.
//
//   KeepRules rules = *parse_keep("24h,7d,4w,12m");
//   for (std::size_t index : expired(all.snapshots, rules))
//   store.remove(all.snapshots[index].name);

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fathom/store/store.h"

namespace fathom::store {

// For how many hours, days, weeks and months that have a snapshot the newest one of each is kept:
// the newest complete one, if there is any.
struct KeepRules {
  std::uint64_t hours = 0;
  std::uint64_t days = 0;
  std::uint64_t weeks = 0;  // from Monday
  std::uint64_t months = 0;
};

// Parses "24h,7d,4w,12m": each unit at most once, in any order. Nothing for other texts.
[[nodiscard]] std::optional<KeepRules> parse_keep(std::string_view text);

// The indexes of the snapshots that the rules do not keep, ascending. Those of the same host, roots
// and selection are judged together, in UTC. The newest one of these and those with a tag are kept
// in any case. An incomplete one does not take the place of a complete one.
[[nodiscard]] std::vector<std::size_t> expired(std::span<const StoredSnapshot> oldest_first,
                                               const KeepRules& rules);

}  // namespace fathom::store
