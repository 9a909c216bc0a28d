// The setters of the flags that select entries.

#include "flags/select_flags.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "term/label.h"
#include "term/message.h"

namespace fathom::cli {

namespace {

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

// Neither empty nor a comment.
bool is_rule(std::string_view text) {
  fs::IgnoreRules alone;
  alone.add_line(text);
  return !alone.empty();
}

}  // namespace

void add_exclusion(SelectRequest& request, const Flag& flag, std::string_view rule) {
  if (!is_rule(rule)) refuse(flag, rule);
  request.rules.push_back({.is_file = false, .text = std::string(rule)});
}

void add_exclusions_of_file(SelectRequest& request, const Flag& flag, std::string_view file) {
  request.rules.push_back({.is_file = true, .text = parse_file(flag, file)});
}

void add_only(SelectRequest& request, const Flag& flag, std::string_view rule) {
  if (!is_rule(rule)) refuse(flag, rule);
  request.only.emplace_back(rule);
}

void set_types(SelectRequest& request, const Flag& flag, std::string_view types) {
  request.selection.kinds.clear();
  for (const std::string_view item : items(types)) {
    const auto* const known = std::find_if(kTypes.begin(), kTypes.end(), [item](const auto& type) {
      return item == type.choice.name || item == type.choice.name.substr(0, 1);
    });
    if (known == kTypes.end()) refuse(flag, types);
    request.selection.kinds.insert(known->value);
  }
}

void add_extensions(SelectRequest& request, const Flag& flag, std::string_view extensions) {
  for (std::string_view item : items(extensions)) {
    if (item.starts_with('.')) item.remove_prefix(1);
    // An extension contains neither a dot nor a slash, so such an item could never match.
    if (item.empty() || item.find_first_of("./") != item.npos) refuse(flag, extensions);
    request.selection.extensions.emplace_back(item);
  }
}

void set_where(SelectRequest& request, const Flag& flag, std::string_view expression) {
  if (expression.empty()) refuse(flag, expression);
  try {
    request.where = fs::Where::parse(expression);
  } catch (const fs::WhereError& error) {
    // The expression with a mark below the column, unless it would be shown escaped.
    std::string lines;
    if (escaped(expression) == expression) {
      lines =
          "\n  " + std::string(expression) + "\n  " + std::string(error.column() - 1, ' ') + '^';
    }
    throw UsageError("option '--" + std::string(flag.name) + "', " + error.what(), lines);
  }
}

void check_selection(const SelectRequest& request) {
  const fs::Selection& selection = request.selection;
  if (!selection.extensions.empty() && selection.kinds == std::set{fs::Kind::directory}) {
    throw UsageError(
        "options '--ext' and '--type' exclude each other: directories have no extensions");
  }
  const auto takes_away = [](const std::string& rule) { return rule.starts_with('!'); };
  if (!request.only.empty() && std::all_of(request.only.begin(), request.only.end(), takes_away)) {
    throw UsageError(
        "option '--only' needs a rule without '!'; to leave something out, use --exclude");
  }
}

}  // namespace fathom::cli
