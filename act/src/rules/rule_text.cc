// Rules as text: reads tables of toml++. Every key is taken once, and keys that remain are errors.

#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0

#include "rules/rule_text.h"

#include <toml++/toml.h>

#include <algorithm>
#include <set>
#include <utility>

#include "fathom/base/bytes.h"
#include "fathom/base/error.h"
#include "fathom/base/moment.h"
#include "fathom/fs/ignore.h"

namespace fathom::act {

namespace {

// A table, with the place where it is, for messages.
class RuleFields {
 public:
  RuleFields(const toml::table& table, const std::string& file) : table_(table), file_(file) {}

  [[noreturn]] void fail(const std::string& message, const toml::node* node = nullptr) const {
    const auto line = (node == nullptr ? table_.source() : node->source()).begin.line;
    throw base::Error(file_ + ':' + std::to_string(line) + ": " + message);
  }

  [[nodiscard]] bool has(std::string_view key) const { return table_.contains(key); }

  // Null if the key is missing.
  const toml::node* take(std::string_view key) {
    taken_.emplace(key);
    return table_.get(key);
  }

  std::string text(std::string_view key, bool required = false) {
    const toml::node* const node = take(key);
    if (node == nullptr) {
      if (required) fail("the key '" + std::string(key) + "' is missing");
      return {};
    }
    return text_of(*node, key);
  }

  // A text, or an array of texts.
  std::vector<std::string> texts(std::string_view key) {
    const toml::node* const node = take(key);
    if (node == nullptr) return {};
    if (!node->is_array()) return {text_of(*node, key)};
    std::vector<std::string> items;
    for (const toml::node& item : *node->as_array()) items.push_back(text_of(item, key));
    if (items.empty()) fail("'" + std::string(key) + "' is empty", node);
    return items;
  }

  bool truth(std::string_view key) {
    const toml::node* const node = take(key);
    if (node == nullptr) return false;
    const auto value = node->value_exact<bool>();
    if (!value) fail("'" + std::string(key) + "' must be true or false", node);
    return *value;
  }

  std::vector<RuleFields> tables(std::string_view key) {
    const toml::node* const node = take(key);
    if (node == nullptr) return {};
    std::vector<RuleFields> items;
    const toml::array* const array = node->as_array();
    if (array == nullptr) fail("'" + std::string(key) + "' must be an array of tables", node);
    for (const toml::node& item : *array) {
      if (!item.is_table()) fail("'" + std::string(key) + "' must be an array of tables", &item);
      items.emplace_back(*item.as_table(), file_);
    }
    return items;
  }

  void finish() const {
    for (const auto& [key, node] : table_) {
      if (!taken_.contains(std::string(key.str()))) {
        fail("the key '" + std::string(key.str()) + "' is unknown", &node);
      }
    }
  }

 private:
  [[nodiscard]] std::string text_of(const toml::node& node, std::string_view key) const {
    const auto value = node.value_exact<std::string>();
    if (!value) fail("'" + std::string(key) + "' must be a text", &node);
    if (value->empty()) fail("'" + std::string(key) + "' is empty", &node);
    return *value;
  }

  const toml::table& table_;
  const std::string& file_;
  std::set<std::string, std::less<>> taken_;
};

// ---- Conditions

enum class Takes : std::uint8_t { names, age, yes };

struct CheckRow {
  std::string_view key;
  Condition::Check check;
  Takes takes;
};

using Check = Condition::Check;
constexpr CheckRow kChecks[] = {
    {"file", Check::file, Takes::names},
    {"directory", Check::directory, Takes::names},
    {"glob", Check::glob, Takes::names},
    {"only", Check::only, Takes::names},
    {"somewhere", Check::somewhere, Takes::names},
    {"source_outside", Check::source_outside, Takes::names},
    {"compiled", Check::compiled, Takes::yes},
    {"core_dump", Check::core_dump, Takes::yes},
    {"live_log", Check::live_log, Takes::yes},
    {"git_ignored", Check::git_ignored, Takes::yes},
    {"git_untracked", Check::git_untracked, Takes::yes},
    {"not_running", Check::not_running, Takes::names},
    {"not_kernel", Check::not_kernel, Takes::yes},
    {"trashed", Check::trashed, Takes::age},
    {"orphan_info", Check::orphan_info, Takes::yes},
    {"unused", Check::unused, Takes::age},
    {"unlocked", Check::unlocked, Takes::yes},
    {"empty", Check::empty, Takes::yes},
    {"dangling", Check::dangling, Takes::yes},
};

std::int64_t age_of(RuleFields& fields, std::string_view key, std::string& text) {
  text = fields.text(key);
  if (text.empty()) return 0;
  const auto age = base::parse_age(text);
  if (!age) fields.fail("'" + std::string(key) + "' must be an age such as 30d");
  return age->count();
}

// What follows "file" and "source_outside".
void read_text_of_file(RuleFields& fields, Condition& condition) {
  if (condition.check == Check::source_outside) {
    condition.text = fields.text("key", true);
    return;
  }
  if (condition.check != Check::file) return;
  const std::string begins = fields.text("begins");
  const std::string contains = fields.text("contains");
  if (!begins.empty() && !contains.empty())
    fields.fail("'begins' and 'contains' exclude each other");
  condition.at_start = !begins.empty();
  condition.text = begins.empty() ? contains : begins;
}

Condition read_condition(RuleFields fields) {
  const auto* const row = std::find_if(std::begin(kChecks), std::end(kChecks),
                                       [&](const CheckRow& one) { return fields.has(one.key); });
  if (row == std::end(kChecks)) fields.fail("the condition checks nothing");
  Condition condition;
  condition.check = row->check;
  if (row->takes == Takes::names) condition.names = fields.texts(row->key);
  if (row->takes == Takes::age) condition.seconds = age_of(fields, row->key, condition.age);
  if (row->takes == Takes::yes && !fields.truth(row->key)) {
    fields.fail("'" + std::string(row->key) + "' can only be true");
  }
  read_text_of_file(fields, condition);
  fields.finish();
  return condition;
}

std::vector<Condition> read_conditions(RuleFields& fields, std::string_view key) {
  std::vector<Condition> conditions;
  for (RuleFields& one : fields.tables(key)) conditions.push_back(read_condition(std::move(one)));
  return conditions;
}

RuleClass read_class(RuleFields& fields, std::string_view key) {
  const std::string name = fields.text(key, true);
  const auto cls = rule_class_named(name);
  if (!cls) fields.fail("'" + std::string(key) + "' must be safe, probably, yours or tool");
  return *cls;
}

Demotion read_demotion(RuleFields& fields) {
  Demotion demotion;
  demotion.to = read_class(fields, "to");
  demotion.unless = fields.has("unless");
  if (demotion.unless == fields.has("if")) fields.fail("a demotion has either 'if' or 'unless'");
  demotion.conditions = read_conditions(fields, demotion.unless ? "unless" : "if");
  if (demotion.conditions.empty()) fields.fail("the demotion has no condition");
  demotion.why = fields.text("why", true);
  fields.finish();
  return demotion;
}

// ---- Rules

std::optional<fs::Kind> read_kind(RuleFields& fields) {
  const std::string name = fields.text("kind");
  if (name.empty() || name == "directory") return fs::Kind::directory;
  if (name == "file") return fs::Kind::file;
  if (name == "link") return fs::Kind::symlink;
  if (name == "any") return std::nullopt;
  fields.fail("'kind' must be directory, file, link or any");
}

std::vector<std::string> read_globs(RuleFields& fields, std::string_view key) {
  std::vector<std::string> globs = fields.texts(key);
  for (const std::string& glob : globs) {
    if (fs::Glob(glob).malformed()) fields.fail("the pattern '" + glob + "' is incomplete");
  }
  return globs;
}

std::uint64_t read_size(RuleFields& fields) {
  const std::string text = fields.text("min_size");
  if (text.empty()) return 0;
  const auto bytes = base::parse_bytes(text);
  if (!bytes) fields.fail("'min_size' must be a size such as 1G");
  return *bytes;
}

void check_rule(const RuleFields& fields, const Rule& rule) {
  if (rule.names.empty() && rule.marker.empty() && rule.paths.empty()) {
    fields.fail("the rule is about nothing: it needs 'names', 'marker' or 'paths'");
  }
  if (rule.cls == RuleClass::safe && rule.evidence.empty()) {
    fields.fail("a rule of class safe needs evidence: nothing is safe by its name alone");
  }
  if (rule.cls == RuleClass::safe && rule.rebuild.empty()) {
    fields.fail("a rule of class safe needs 'rebuild', the command that makes it again");
  }
  if (rule.cls == RuleClass::tool && rule.command.empty()) {
    fields.fail("a rule of class tool needs 'command'");
  }
}

Rule read_rule(RuleFields& fields, const std::string& file) {
  Rule rule;
  rule.file = file;
  rule.id = fields.text("id", true);
  rule.title = fields.text("title", true);
  rule.cls = read_class(fields, "class");
  rule.kind = read_kind(fields);
  rule.names = read_globs(fields, "names");
  rule.except = read_globs(fields, "except");
  rule.marker = fields.text("marker");
  rule.paths = read_globs(fields, "paths");
  rule.not_below = read_globs(fields, "not_below");
  std::string age;
  rule.min_age = age_of(fields, "min_age", age);
  rule.min_size = read_size(fields);
  rule.own = fields.truth("own");
  rule.evidence = read_conditions(fields, "evidence");
  for (RuleFields& one : fields.tables("demote")) rule.demotions.push_back(read_demotion(one));
  rule.generic = fields.truth("generic");
  rule.rebuild = fields.text("rebuild");
  rule.command = fields.text("command");
  fields.finish();
  check_rule(fields, rule);
  return rule;
}

toml::table parsed_toml(std::string_view text, const std::string& name) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw base::Error(name + ':' + std::to_string(error.source().begin.line) + ": " +
                      std::string(error.description()));
  }
}

}  // namespace

std::vector<Rule> parse_rules(std::string_view text, const std::string& name) {
  const toml::table table = parsed_toml(text, name);
  RuleFields fields(table, name);
  std::vector<Rule> rules;
  for (RuleFields& one : fields.tables("rule")) rules.push_back(read_rule(one, name));
  fields.finish();
  return rules;
}

}  // namespace fathom::act
