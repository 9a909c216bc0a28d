// Retention: numbers the hours, days, weeks and months, and counts those that have a snapshot.

#include "fathom/store/retention.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <system_error>

#include "fathom/store/series.h"

namespace fathom::store {

namespace {

constexpr std::uint64_t kMostKept = 1'000'000;

std::uint64_t* field_of(KeepRules& rules, char unit) {
  switch (unit) {
    case 'h':
      return &rules.hours;
    case 'd':
      return &rules.days;
    case 'w':
      return &rules.weeks;
    case 'm':
      return &rules.months;
    default:
      return nullptr;
  }
}

using Nanoseconds = std::chrono::sys_time<std::chrono::nanoseconds>;

std::int64_t hour_of(Nanoseconds time) {
  return std::chrono::floor<std::chrono::hours>(time).time_since_epoch().count();
}

std::int64_t day_of(Nanoseconds time) {
  return std::chrono::floor<std::chrono::days>(time).time_since_epoch().count();
}

std::int64_t week_of(Nanoseconds time) {
  const std::int64_t from_monday = day_of(time) + 3;  // 1970-01-01 was a Thursday
  return from_monday >= 0 ? from_monday / 7 : (from_monday - 6) / 7;
}

std::int64_t month_of(Nanoseconds time) {
  const std::chrono::year_month_day date(std::chrono::floor<std::chrono::days>(time));
  return int{date.year()} * std::int64_t{12} + unsigned{date.month()};
}

// Keeps the newest snapshot of each of the last `most` units that have one; a complete one, if the
// unit has any.
template <class NumberOf>
void keep(std::span<const StoredSnapshot> all, const std::vector<std::size_t>& group,
          std::uint64_t most, NumberOf number_of, std::vector<bool>& kept) {
  const auto unit_of = [&](std::size_t index) {
    return number_of(Nanoseconds(std::chrono::nanoseconds(all[index].meta.ended_ns)));
  };
  for (auto newest = group.rbegin(); newest != group.rend() && most != 0; --most) {
    const auto end = std::find_if(newest, group.rend(), [&](std::size_t index) {
      return unit_of(index) != unit_of(*newest);
    });
    const auto complete =
        std::find_if(newest, end, [&](std::size_t index) { return all[index].meta.complete(); });
    kept[complete == end ? *newest : *complete] = true;
    newest = end;
  }
}

// The indexes of the snapshots of each series.
std::vector<std::vector<std::size_t>> groups_of(std::span<const StoredSnapshot> all) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& indexes) {
      return same_series(all[indexes.front()].meta, all[i].meta);
    });
    if (group == groups.end()) {
      groups.push_back({i});
    } else {
      group->push_back(i);
    }
  }
  return groups;
}

}  // namespace

std::optional<KeepRules> parse_keep(std::string_view text) {
  KeepRules rules;
  for (;;) {
    const std::string_view rule = text.substr(0, text.find(','));
    if (rule.empty()) return std::nullopt;
    std::uint64_t* const field = field_of(rules, rule.back());
    if (field == nullptr || *field != 0) return std::nullopt;
    const char* const end = rule.data() + rule.size() - 1;
    const auto [stop, error] = std::from_chars(rule.data(), end, *field);
    if (error != std::errc() || stop != end || *field == 0 || *field > kMostKept) {
      return std::nullopt;
    }
    if (rule.size() == text.size()) return rules;
    text.remove_prefix(rule.size() + 1);
  }
}

std::vector<std::size_t> expired(std::span<const StoredSnapshot> oldest_first,
                                 const KeepRules& rules) {
  std::vector<bool> kept(oldest_first.size());
  for (std::size_t i = 0; i < oldest_first.size(); ++i) {
    kept[i] = !oldest_first[i].meta.tag.empty();
  }
  for (const std::vector<std::size_t>& indexes : groups_of(oldest_first)) {
    kept[indexes.back()] = true;
    keep(oldest_first, indexes, rules.hours, hour_of, kept);
    keep(oldest_first, indexes, rules.days, day_of, kept);
    keep(oldest_first, indexes, rules.weeks, week_of, kept);
    keep(oldest_first, indexes, rules.months, month_of, kept);
  }
  std::vector<std::size_t> gone;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) gone.push_back(i);
  }
  return gone;
}

}  // namespace fathom::store
