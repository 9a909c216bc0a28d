// Plans as text: schema fathom.plan/1.
//
//   {"schema":"fathom.plan/1","host":"ada","created_ns":...,"roots":[{"path":"/srv"}],"entries":1205,
//    "freed_bytes":4096,"freed_bytes_at_most":4096,"held_bytes":0,"open_bytes":0}
//   {"do":"delete","root":0,"path":"shop/target","kind":"directory","size":4096,"device":...,
//    "inode":...,"mtime_ns":...,"ctime_ns":...,"entries":1205,"disk_bytes":4096,"digest":"...",
//    "rule":"cargo-target","class":"safe","rebuild":"cargo build",
//    "evidence":[{"path":"CACHEDIR.TAG"}],"evidence_digest":"..."}
//   {"end":1}
//
// The end has the number of items that were written: the plan may have fewer, but not more.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "fathom/act/plan.h"
#include "fathom/base/error.h"
#include "fathom/base/path.h"
#include "fathom/fs/json_writer.h"
#include "items/path_order.h"
#include "os/paths.h"
#include "os/safe_open.h"
#include "text/json_fields.h"
#include "text/plan_lines.h"

namespace fathom::act {

namespace {

constexpr std::string_view kItemPlanFamily = "fathom.plan/";
constexpr std::string_view kItemPlanSchema = "fathom.plan/1";

template <class Value>
using Words = std::array<std::pair<Value, std::string_view>, 3>;
constexpr Words<Action> kActionWords = {
    {{Action::remove, "delete"}, {Action::quarantine, "quarantine"}, {Action::trash, "trash"}}};
constexpr std::array<std::pair<fs::Kind, std::string_view>, 4> kKindWords = {
    {{fs::Kind::directory, "directory"},
     {fs::Kind::file, "file"},
     {fs::Kind::symlink, "symlink"},
     {fs::Kind::other, "other"}}};

template <class Value, std::size_t count>
std::string_view word_of(const std::array<std::pair<Value, std::string_view>, count>& words,
                         Value value) {
  return std::find_if(words.begin(), words.end(), [&](const auto& it) { return it.first == value; })
      ->second;
}

template <class Value, std::size_t count>
std::optional<Value> value_of(const std::array<std::pair<Value, std::string_view>, count>& words,
                              std::string_view word) {
  const auto found =
      std::find_if(words.begin(), words.end(), [&](const auto& it) { return it.second == word; });
  return found == words.end() ? std::nullopt : std::optional(found->first);
}

void write_item_head(fs::JsonWriter& json, const Plan& plan) {
  json.begin_object();
  json.string("schema", kItemPlanSchema);
  if (!plan.host.empty()) json.bytes("host", plan.host);
  if (!plan.quarantine.empty()) json.bytes("quarantine", plan.quarantine);
  json.number("created_ns", plan.created_ns);
  json.path_objects("roots", plan.roots);
  if (plan.totals) {
    json.number("entries", plan.totals->entries);
    json.number("freed_bytes", plan.totals->freed);
    json.number("freed_bytes_at_most", plan.totals->freed_at_most);
    json.number("held_bytes", plan.totals->held);
    json.number("open_bytes", plan.totals->open);
  }
  json.end_object();
  json.end_line();
}

void write_reason(fs::JsonWriter& json, const Reason& reason) {
  if (!reason.rule.empty()) json.bytes("rule", reason.rule);
  if (!reason.rule_class.empty()) json.bytes("class", reason.rule_class);
  if (!reason.rebuild.empty()) json.bytes("rebuild", reason.rebuild);
  if (!reason.evidence.empty()) json.path_objects("evidence", reason.evidence);
}

void write_item(fs::JsonWriter& json, const PlanItem& item) {
  json.begin_object();
  json.string("do", to_string(item.action));
  json.number("root", item.root);
  json.bytes("path", item.path);
  json.string("kind", word_of(kKindWords, item.kind));
  json.number("size", item.identity.size);
  json.number("device", item.identity.device);
  json.number("inode", item.identity.inode);
  json.number("mtime_ns", item.identity.mtime_ns);
  json.number("ctime_ns", item.identity.ctime_ns);
  json.number("entries", item.entries);
  json.number("disk_bytes", item.bytes);
  if (!item.digest.empty()) json.string("digest", item.digest);
  if (item.shares_inodes) json.number("shares_inodes", 1);
  write_reason(json, item.reason);
  if (!item.evidence_digest.empty()) json.string("evidence_digest", item.evidence_digest);
  json.end_object();
  json.end_line();
}

class ItemPlanReader {
 public:
  Plan read(const fs::Source& source) {
    const PlanLines lines{kItemPlanFamily, kItemPlanSchema,
                          [this](JsonFields& fields) { head(fields); },
                          [this](JsonFields& fields) { item(fields); }};
    const std::uint64_t written = read_plan_lines(source, lines);
    if (const auto flaw = flaw_of(plan_)) throw base::Error("the plan is invalid: " + *flaw);
    if (plan_.items.size() > written) {
      throw base::Error("the plan has more items than were written");
    }
    plan_.shortened = plan_.items.size() < written;
    return std::move(plan_);
  }

 private:
  void head(JsonFields& fields) {
    if (fields.has("host")) plan_.host = fields.bytes("host");
    if (fields.has("quarantine")) plan_.quarantine = fields.bytes("quarantine");
    plan_.created_ns = fields.signed_number("created_ns");
    plan_.roots = fields.list("roots");
    if (fields.has("entries")) {
      PlanTotals totals;
      totals.entries = fields.number("entries");
      totals.freed = fields.number("freed_bytes");
      totals.freed_at_most = fields.number("freed_bytes_at_most");
      totals.held = fields.number("held_bytes");
      totals.open = fields.number("open_bytes");
      plan_.totals = totals;
    }
  }

  void item(JsonFields& fields) {
    PlanItem item;
    item.action = word<Action>(fields, "do", kActionWords);
    item.root = root(fields);
    item.path = fields.bytes("path");
    item.kind = word<fs::Kind>(fields, "kind", kKindWords);
    item.identity.size = fields.number("size");
    item.identity.device = fields.number("device");
    item.identity.inode = fields.number("inode");
    item.identity.mtime_ns = fields.signed_number("mtime_ns");
    item.identity.ctime_ns = fields.signed_number("ctime_ns");
    item.entries = fields.number("entries");
    item.bytes = fields.number("disk_bytes");
    item.digest = optional_text(fields, "digest");
    item.shares_inodes = fields.has("shares_inodes") && fields.number("shares_inodes") != 0;
    item.reason.rule = optional_text(fields, "rule");
    item.reason.rule_class = optional_text(fields, "class");
    item.reason.rebuild = optional_text(fields, "rebuild");
    if (fields.has("evidence")) item.reason.evidence = fields.list("evidence");
    item.evidence_digest = optional_text(fields, "evidence_digest");
    plan_.items.push_back(std::move(item));
  }

  std::uint32_t root(JsonFields& fields) const {
    const std::uint64_t root = fields.number("root");
    if (root >= plan_.roots.size()) fields.fail("\"root\" is not the number of a root");
    return static_cast<std::uint32_t>(root);
  }

  static std::string optional_text(JsonFields& fields, std::string_view key) {
    return fields.has(key) ? fields.bytes(key) : std::string();
  }

  template <class Value, std::size_t count>
  static Value word(JsonFields& fields, std::string_view key,
                    const std::array<std::pair<Value, std::string_view>, count>& words) {
    const std::string text = fields.bytes(key);
    const auto value = value_of(words, text);
    if (!value) fields.fail('"' + std::string(key) + "\" has the unknown value \"" + text + '"');
    return *value;
  }

  Plan plan_;
};

std::optional<std::string> flaw_of_item(const Plan& plan, const PlanItem& item) {
  if (item.root >= plan.roots.size()) return "an item has no root";
  if (!is_plain_path(item.path)) return "the path '" + item.path + "' is not below its root";
  if (item.digest.empty() == (item.kind == fs::Kind::directory)) {
    return "'" + item.path + "' must have a digest if it is a directory, and only then";
  }
  if (item.reason.evidence.empty() != item.evidence_digest.empty()) {
    return "'" + item.path + "' has evidence without a digest, or a digest without evidence";
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Action action) {
  return word_of(kActionWords, action);
}

std::optional<Action> parse_action(std::string_view name) {
  return value_of(kActionWords, name);
}

std::string Plan::path_of(const PlanItem& item) const {
  return joined(roots[item.root], item.path);
}

std::optional<std::string> flaw_of(const Plan& plan) {
  for (const std::string& root : plan.roots) {
    if (!is_plain_root(root)) return "the root '" + root + "' is not an absolute path";
  }
  if (!plan.quarantine.empty() && !is_plain_root(plan.quarantine)) {
    return "the quarantine '" + plan.quarantine + "' is not an absolute path";
  }
  std::vector<std::string> paths;
  for (const PlanItem& item : plan.items) {
    if (auto flaw = flaw_of_item(plan, item)) return flaw;
    paths.push_back(plan.path_of(item));
  }
  std::sort(paths.begin(), paths.end(), less_by_names);
  for (std::size_t i = 1; i < paths.size(); ++i) {
    if (paths[i] == paths[i - 1]) return "'" + paths[i] + "' occurs twice";
    if (base::is_below(paths[i], paths[i - 1])) {
      return "'" + paths[i] + "' is inside another item, '" + paths[i - 1] + "'";
    }
  }
  return std::nullopt;
}

void write_plan(const Plan& plan, const fs::Sink& sink) {
  fs::JsonWriter json(sink);
  write_item_head(json, plan);
  for (const PlanItem& item : plan.items) write_item(json, item);
  json.begin_object();
  json.number("end", plan.items.size());
  json.end_object();
  json.end_line();
  json.flush();
}

Plan read_plan(const fs::Source& source) {
  return ItemPlanReader().read(source);
}

}  // namespace fathom::act
