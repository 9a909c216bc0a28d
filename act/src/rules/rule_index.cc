// RuleIndex: splits the paths of rules into their last name and the rest.

#include "rules/rule_index.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace fathom::act {

namespace {

bool is_literal(std::string_view pattern) {
  return pattern.find_first_of("*?[\\") == std::string_view::npos;
}

// A text as a pattern that matches only this text.
std::string as_pattern(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    if (std::string_view("*?[]\\").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

// Paths and their patterns are compared without the slash at their beginning, so that "**/" stands
// for any directories.
std::string_view without_slash(std::string_view path) {
  return path.starts_with('/') ? path.substr(1) : path;
}

std::vector<std::string> split_names(std::string_view path) {
  std::vector<std::string> names;
  for (;;) {
    const std::size_t slash = path.find('/');
    names.emplace_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return names;
    path.remove_prefix(slash + 1);
  }
}

}  // namespace

RuleIndex::RuleIndex(const RuleSet& rules, const Surroundings& around) : around_(around) {
  for (const auto& rule : rules.rules()) {
    add_names(*rule);
    add_paths(*rule);
    add_marker(*rule);
    Except& except = excepts_[rule.get()];
    for (const std::string& name : rule->except) except.names.emplace_back(name);
    for (const std::string& pattern : rule->not_below) {
      if (const auto path = expanded(pattern)) except.below.emplace_back(without_slash(*path));
    }
  }
}

// "$HOME/x" with the value of HOME; nothing if it has none.
std::optional<std::string> RuleIndex::expanded(const std::string& pattern) const {
  std::string text;
  for (std::size_t at = 0; at < pattern.size();) {
    if (pattern[at] != '$') {
      text += pattern[at++];
      continue;
    }
    std::size_t end = at + 1;
    while (end < pattern.size() &&
           (pattern[end] == '_' || (pattern[end] >= 'A' && pattern[end] <= 'Z'))) {
      ++end;
    }
    const auto value = around_.variables.find(pattern.substr(at + 1, end - at - 1));
    if (value == around_.variables.end()) return std::nullopt;
    text += as_pattern(value->second);
    at = end;
  }
  return text;
}

void RuleIndex::add_pattern(const std::string& name, Pattern pattern) {
  if (is_literal(name)) {
    by_name_[name].push_back(std::move(pattern));
  } else {
    pattern.name.emplace(name);
    by_glob_.push_back(std::move(pattern));
  }
}

void RuleIndex::add_names(const Rule& rule) {
  for (const std::string& name : rule.names) add_pattern(name, {.rule = &rule});
}

void RuleIndex::add_paths(const Rule& rule) {
  for (const std::string& raw : rule.paths) {
    const auto path = expanded(raw);
    if (!path) continue;
    Pattern pattern{.rule = &rule};
    pattern.whole.emplace(without_slash(*path));
    if (rule.cls >= RuleClass::yours) guarding_.push_back(pattern);
    const std::vector<std::string> names = split_names(*path);
    const std::string parent = names.size() > 1 ? names[names.size() - 2] : "";
    if (is_literal(parent)) pattern.parent = parent;
    add_pattern(names.back(), std::move(pattern));
  }
}

void RuleIndex::add_marker(const Rule& rule) {
  if (rule.marker.empty()) return;
  std::vector<std::string> names = split_names(rule.marker);
  auto& markers = markers_[names.back()];
  markers.push_back({&rule, std::move(names)});
}

bool RuleIndex::accepts(const Pattern& pattern, const Asked& asked) const {
  const Rule& rule = *pattern.rule;
  if (rule.kind && *rule.kind != asked.kind) return false;
  if (!pattern.parent.empty() && pattern.parent != asked.parent) return false;
  if (pattern.name && !pattern.name->matches(asked.name)) return false;
  return !pattern.whole || pattern.whole->matches(without_slash(asked.path()));
}

void RuleIndex::add_rules(const Asked& asked, std::vector<const Rule*>& found) const {
  const auto add = [&](const Pattern& pattern) {
    if (std::find(found.begin(), found.end(), pattern.rule) != found.end()) return;
    if (accepts(pattern, asked)) found.push_back(pattern.rule);
  };
  if (const auto named = by_name_.find(std::string(asked.name)); named != by_name_.end()) {
    for (const Pattern& pattern : named->second) add(pattern);
  }
  for (const Pattern& pattern : by_glob_) add(pattern);
}

const std::vector<RuleIndex::Marker>* RuleIndex::markers(std::string_view name) const {
  const auto found = markers_.find(std::string(name));
  return found == markers_.end() ? nullptr : &found->second;
}

bool RuleIndex::excepts(const Rule& rule, std::string_view name, const std::string& path) const {
  const Except& except = excepts_.at(&rule);
  const auto matches = [](std::string_view text) {
    return [text](const fs::Glob& glob) { return glob.matches(text); };
  };
  return std::any_of(except.names.begin(), except.names.end(), matches(name)) ||
         std::any_of(except.below.begin(), except.below.end(), matches(without_slash(path)));
}

const Rule* RuleIndex::rule_above(const std::string& path) const {
  for (std::size_t end = path.rfind('/'); end != std::string::npos && end != 0;
       end = path.rfind('/', end - 1)) {
    const std::string_view above = without_slash(std::string_view(path).substr(0, end));
    for (const Pattern& pattern : guarding_) {
      if (pattern.whole->matches(above)) return pattern.rule;
    }
  }
  return nullptr;
}

}  // namespace fathom::act
