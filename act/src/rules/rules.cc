// RuleSet: collects rules, and refuses what is defined twice. Sentences about conditions.

#include "fathom/act/rules.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "fathom/base/bytes.h"
#include "fathom/base/error.h"
#include "os/listing.h"
#include "os/small_file.h"
#include "rules/rule_files.h"
#include "rules/rule_text.h"

namespace fathom::act {

namespace {

constexpr std::string_view kClassNames[] = {"safe", "probably", "yours", "tool"};

// "a", "a or b", "one of a, b, c".
std::string alternatives(const std::vector<std::string>& names) {
  if (names.size() == 1) return names.front();
  if (names.size() == 2) return names[0] + " or " + names[1];
  std::string text = "one of ";
  for (const std::string& name : names) text += (&name == &names.front() ? "" : ", ") + name;
  return text;
}

std::string file_sentence(const Condition& condition) {
  const std::string names = alternatives(condition.names);
  if (condition.text.empty()) return names + " is a regular file";
  return names + (condition.at_start ? " begins with \"" : " contains \"") + condition.text + '"';
}

// "30 days".
std::string days(std::int64_t seconds) {
  constexpr std::int64_t kHours = 60 * 60;
  const std::int64_t number = seconds / (24 * kHours);
  if (number * 24 * kHours != seconds) return std::to_string(seconds / kHours) + " hours";
  return std::to_string(number) + (number == 1 ? " day" : " days");
}

}  // namespace

std::string_view to_string(RuleClass cls) {
  return kClassNames[static_cast<std::size_t>(cls)];
}

std::optional<RuleClass> rule_class_named(std::string_view name) {
  const auto* const found = std::find(std::begin(kClassNames), std::end(kClassNames), name);
  if (found == std::end(kClassNames)) return std::nullopt;
  return static_cast<RuleClass>(found - std::begin(kClassNames));
}

std::string Condition::sentence() const {
  switch (check) {
    case Check::file:
      return file_sentence(*this);
    case Check::directory:
      return alternatives(names) + " is a directory";
    case Check::glob:
      return "a file is named " + alternatives(names);
    case Check::only:
      return "it contains files named " + alternatives(names) + ", and nothing else";
    case Check::somewhere:
      return "something in it is named " + alternatives(names);
    case Check::source_outside:
      return text + " in " + alternatives(names) + " is an existing directory outside of it";
    case Check::compiled:
      return "the source of each compiled module is beside it";
    case Check::core_dump:
      return "it is an ELF file of type core";
    case Check::live_log:
      return "the log from which it was rotated is beside it";
    case Check::git_ignored:
      return "git ignores it";
    case Check::git_untracked:
      return "git tracks nothing in it";
    case Check::not_running:
      return "no process is named " + alternatives(names);
    case Check::not_kernel:
      return "it is not of the running kernel";
    case Check::trashed:
      return "it was put into the trash at least " + days(seconds) + " ago";
    case Check::orphan_info:
      return "what it describes is not in the trash";
    case Check::unused:
      return "nothing in it was read or changed for " + days(seconds);
    case Check::unlocked:
      return "it has neither a lock nor a sticky bit";
    case Check::empty:
      return "it has no entries";
    case Check::dangling:
      return "its target does not exist";
  }
  return {};
}

std::vector<std::string> Rule::sentences() const {
  std::vector<std::string> all;
  if (min_size != 0) all.push_back("it takes " + base::format_bytes(min_size) + " or more");
  if (min_age != 0) all.push_back("its newest file is " + days(min_age) + " old or older");
  if (own) all.push_back("it belongs to you");
  for (const Condition& condition : evidence) all.push_back(condition.sentence());
  return all;
}

RuleSet::RuleSet() = default;
RuleSet::~RuleSet() = default;
RuleSet::RuleSet(RuleSet&&) noexcept = default;
RuleSet& RuleSet::operator=(RuleSet&&) noexcept = default;

RuleSet RuleSet::built_in() {
  RuleSet rules;
  for (const RuleFile& file : built_in_rule_files()) rules.add(file.text, std::string(file.name));
  return rules;
}

void RuleSet::add(std::string_view text, const std::string& name) {
  for (Rule& rule : parse_rules(text, name)) {
    if (const Rule* const other = named(rule.id)) {
      throw base::Error(name + ": the rule '" + rule.id + "' exists already, in " + other->file);
    }
    rules_.push_back(std::make_unique<const Rule>(std::move(rule)));
  }
}

void RuleSet::add_directory(const std::string& path) {
  std::vector<std::string> names = names_in(path);
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    if (!name.ends_with(".toml")) continue;
    const std::string file = path + '/' + name;
    const auto text = read_small_file(file);
    if (!text) throw base::Error("cannot read the rules in " + file);
    add(*text, file);
  }
}

const Rule* RuleSet::named(std::string_view id) const {
  const auto found =
      std::find_if(rules_.begin(), rules_.end(), [id](const auto& rule) { return rule->id == id; });
  return found == rules_.end() ? nullptr : found->get();
}

}  // namespace fathom::act
