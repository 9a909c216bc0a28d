// The options that select entries: parsing their arguments, and checking them together.

#include "select/select_flags.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fathom/base/clock.h"
#include "flag/refusal.h"
#include "flag/values.h"
#include "message.h"

namespace fathom::cli {

namespace {

constexpr std::array<std::pair<std::string_view, fs::Kind>, 8> kKinds = {{
    {"f", fs::Kind::file},
    {"file", fs::Kind::file},
    {"d", fs::Kind::directory},
    {"dir", fs::Kind::directory},
    {"l", fs::Kind::symlink},
    {"link", fs::Kind::symlink},
    {"o", fs::Kind::other},
    {"other", fs::Kind::other},
}};

// The items of a comma-separated list; at least one, which may be empty.
std::vector<std::string_view> items(std::string_view list) {
  std::vector<std::string_view> found;
  for (;;) {
    const std::size_t comma = list.find(',');
    found.push_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return found;
    list.remove_prefix(comma + 1);
  }
}

Moment moment_of(std::string_view flag, std::string_view when) {
  if (const auto moment = parse_moment(when)) return *moment;
  refuse(
      flag, when,
      "an age such as 90s, 12h or 7d, up to 366000d, a date such as 2026-01-31, 2026-01-31T08:00 "
      "or 2026-01-31T08:00:00, or seconds since 1970 such as @1767225600");
}

}  // namespace

void exclude(SelectRequest& request, std::string_view rule) {
  fs::IgnoreRules alone;
  alone.add_line(rule);
  if (alone.empty()) refuse("exclude", rule, "a rule such as '*.o', build/ or /tmp");
  request.rules.push_back({.is_file = false, .text = std::string(rule)});
}

void exclude_from(SelectRequest& request, std::string_view file) {
  if (file.empty()) refuse("exclude-from", file, "a file name");
  request.rules.push_back({.is_file = true, .text = std::string(file)});
}

void set_min_size(SelectRequest& request, std::string_view size) {
  request.selection.min_size = parse_size("min-size", size);
}

void set_newer(SelectRequest& request, std::string_view when) {
  request.newer = moment_of("newer", when);
}

void set_older(SelectRequest& request, std::string_view when) {
  request.older = moment_of("older", when);
}

void set_kinds(SelectRequest& request, std::string_view kinds) {
  request.selection.kinds.clear();
  for (const std::string_view item : items(kinds)) {
    const auto* const known = std::find_if(kKinds.begin(), kKinds.end(),
                                           [item](const auto& kind) { return kind.first == item; });
    if (known == kKinds.end()) {
      refuse("type", kinds, "a comma-separated list of f, d, l and o (file, dir, link, other)");
    }
    request.selection.kinds.insert(known->second);
  }
}

void add_extensions(SelectRequest& request, std::string_view extensions) {
  for (std::string_view item : items(extensions)) {
    if (item.starts_with('.')) item.remove_prefix(1);
    // An extension contains neither a dot nor a slash, so such an item could never match.
    if (item.empty() || item.find_first_of("./") != item.npos) {
      refuse("ext", extensions,
             "a comma-separated list of extensions such as log,gz, each the part of a name after "
             "the last dot");
    }
    request.selection.extensions.emplace_back(item);
  }
}

void check_selection(const SelectRequest& request, bool import) {
  const fs::Selection& selection = request.selection;
  if (!selection.extensions.empty() && selection.kinds == std::set{fs::Kind::directory}) {
    throw UsageError(
        "options '--ext' and '--type' exclude each other: directories have no "
        "extensions");
  }
  if (!request.newer || !request.older) return;
  const bool both_ago = request.newer->ago.count() != 0 && request.older->ago.count() != 0;
  const bool neither_ago = request.newer->ago.count() == 0 && request.older->ago.count() == 0;
  if (import && !both_ago && !neither_ago) return;
  const std::int64_t now = base::wall_now();
  if (request.newer->before(now) < request.older->before(now)) return;
  throw UsageError(
      "options '--newer' and '--older' exclude each other: no time is at or after the one and "
      "before the other");
}

}  // namespace fathom::cli
