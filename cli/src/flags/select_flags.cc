// The setters of the flags that select entries.

#include "flags/select_flags.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "fathom/base/path.h"
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

fs::Where parsed_where(const Flag& flag, std::string_view expression,
                       fs::WhereRefusal refusal = nullptr) {
  if (expression.empty()) refuse(flag, expression);
  try {
    return fs::Where::parse(expression, refusal);
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

std::string_view refusal_of_found(fs::WhereField field) {
  const bool of_rules = field == fs::WhereField::rule || field == fs::WhereField::cls;
  return of_rules ? "belongs to `fathom clean`" : "";
}

std::string_view refusal_of_entries(fs::WhereField field) {
  const std::string_view refusal = refusal_of_found(field);
  if (!refusal.empty() || fs::EntryCondition::knows(field)) return refusal;
  return "is known only after a scan; `fathom find` takes it";
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
  request.where = parsed_where(flag, expression);
}

void set_found_where(SelectRequest& request, const Flag& flag, std::string_view expression) {
  request.where = parsed_where(flag, expression, refusal_of_found);
}

void set_entry_where(SelectRequest& request, const Flag& flag, std::string_view expression) {
  request.entry_where = parsed_where(flag, expression, refusal_of_entries);
}

namespace {

std::string found_from_anywhere(const std::string& file) {
  const auto here = base::current_directory();
  return here ? base::joined_path(*here, file) : file;
}

}  // namespace

std::vector<std::string> selection_words(std::span<const Flag> flags, const Arguments& given) {
  std::vector<std::string> words;
  for (const auto& [index, argument] : given.flags) {
    const Flag& flag = flags[index];
    const bool reads = flag.name == "from" || flag.name == "store";
    const bool selects = flag.group == FlagGroup::select && !reads;
    if (!selects && flag.name != "one-file-system") continue;
    const std::string value = flag.arg == Arg::file ? found_from_anywhere(argument) : argument;
    words.push_back("--" + std::string(flag.name) + (value.empty() ? "" : "=" + value));
  }
  return words;
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
