// The names of snapshots: which kind a name is, and what it chooses.

#include "fathom/store/snapshot_name.h"

#include <charconv>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "fathom/base/clock.h"
#include "fathom/base/local_time.h"
#include "fathom/store/series.h"

namespace fathom::store {

namespace {

constexpr std::size_t kFewestDigits = 4;
constexpr std::size_t kLongestTag = 64;

std::optional<std::uint64_t> whole_number(std::string_view digits) {
  std::uint64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

class SnapshotSearch {
 public:
  SnapshotSearch(std::span<const StoredSnapshot> all, std::string_view path)
      : all_(all), among_(path.empty() ? every() : series_of_path(all, path)) {
    if (all.empty()) throw NotFound("the store has no snapshots");
    if (among_.empty()) {
      throw NotFound("no snapshot contains " + std::string(path) + "; the latest is " +
                     all.back().name);
    }
  }

  [[nodiscard]] const StoredSnapshot& latest() const { return all_[among_.back()]; }

  [[nodiscard]] const StoredSnapshot& before_latest(std::uint64_t count) const {
    std::size_t index = among_.back();
    for (std::uint64_t left = count; left != 0; --left) {
      index = before_in_series(all_, index);
      if (index != kNoSnapshot) continue;
      const std::uint64_t have = count - left + 1;
      throw NotFound("@~" + std::to_string(count) + " does not exist: " +
                     (have == 1 ? "there is only one snapshot"
                                : "there are only " + std::to_string(have) + " snapshots") +
                     " of these paths");
    }
    return all_[index];
  }

  // The last one that ended before a second. `what` says what was looked for.
  [[nodiscard]] const StoredSnapshot& ended_before(std::int64_t second,
                                                   const std::string& what) const {
    for (auto index = among_.rbegin(); index != among_.rend(); ++index) {
      if (base::whole_seconds(all_[*index].meta.ended_ns) < second) return all_[*index];
    }
    const std::int64_t oldest = all_[among_.front()].meta.ended_ns;
    throw NotFound("no snapshot is " + what + ": the oldest is of " +
                   base::to_local_minute(base::whole_seconds(oldest)));
  }

  // By tag, id, or the name of its directory.
  [[nodiscard]] const StoredSnapshot& called(std::string_view name) const {
    for (auto index = among_.rbegin(); index != among_.rend(); ++index) {
      if (!name.empty() && all_[*index].meta.tag == name) return all_[*index];
    }
    std::vector<const StoredSnapshot*> found;
    for (const StoredSnapshot& snapshot : all_) {
      if (begins_id(name, snapshot.meta.id) || snapshot.name == name) found.push_back(&snapshot);
    }
    if (found.size() == 1) return *found.front();
    const std::string quoted = "'" + std::string(name) + "'";
    if (found.empty()) {
      throw NotFound("no snapshot has the tag " + quoted +
                     ", or an id that begins so; the latest is " + latest().name);
    }
    throw NotFound(quoted + " begins the ids of " + std::to_string(found.size()) +
                   " snapshots, such as " + found[0]->name + " and " + found[1]->name);
  }

 private:
  [[nodiscard]] std::vector<std::size_t> every() const {
    std::vector<std::size_t> indexes(all_.size());
    std::iota(indexes.begin(), indexes.end(), std::size_t{0});
    return indexes;
  }

  std::span<const StoredSnapshot> all_;
  const std::vector<std::size_t> among_;  // those that a moment chooses from, the oldest first
};

}  // namespace

const StoredSnapshot& find_snapshot(std::span<const StoredSnapshot> oldest_first,
                                    std::string_view name, std::int64_t now,
                                    std::string_view path) {
  const SnapshotSearch search(oldest_first, path);
  if (name.starts_with('@')) name.remove_prefix(1);
  if (name == "latest") return search.latest();
  if (name.starts_with('~')) {
    if (const auto count = whole_number(name.substr(1))) return search.before_latest(*count);
  }
  if (const auto date = base::parse_local_date(name)) {
    // The end of a day is the start of the next one, which may be 23 or 25 hours later.
    return search.ended_before(base::from_local(date->seconds + date->length),
                               "of " + std::string(name) + " or before");
  }
  if (const auto age = age_of(name)) {
    return search.ended_before(base::whole_seconds(now) - *age + 1, std::string(name) + " old");
  }
  return search.called(name);
}

bool begins_id(std::string_view text, std::string_view id) {
  return text.size() >= kFewestDigits && id.starts_with(text);
}

std::optional<std::int64_t> age_of(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto number = whole_number(text.substr(0, text.size() - 1));
  constexpr std::int64_t kHour = 60LL * 60;
  const char unit = text.back();
  const std::int64_t seconds = unit == 'h'   ? kHour
                               : unit == 'd' ? 24 * kHour
                               : unit == 'w' ? 7 * 24 * kHour
                                             : 0;
  // At most six digits: seven and a unit could be the eight digits of an id that are shown.
  constexpr std::uint64_t kMost = 999'999;
  if (!number || seconds == 0 || text.front() == '0' || *number > kMost) return std::nullopt;
  return static_cast<std::int64_t>(*number) * seconds;
}

bool is_tag(std::string_view text) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-";
  if (text.empty() || text.size() > kLongestTag) return false;
  if (text.find_first_not_of(kAllowed) != std::string_view::npos) return false;
  const bool other =
      text == "latest" || text == "now" || base::parse_local_date(text) || age_of(text).has_value();
  return !other && text.front() != '-' && text.front() != '.';
}

}  // namespace fathom::store
