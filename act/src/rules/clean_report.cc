// Reports of fathom clean.

#include "fathom/act/clean_report.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "fathom/base/saturating.h"
#include "fathom/fs/json.h"

namespace fathom::act {

namespace {

fs::Cell newest_cell(std::int64_t seconds) {
  if (seconds == fs::kUnknownTime) return {};
  return seconds;
}

std::string class_text(RuleClass cls) {
  return std::string(to_string(cls));
}

void write_item(fs::JsonWriter& json, const Candidate& one) {
  json.begin_object();
  json.bytes("path", one.path);
  json.string("class", to_string(one.cls));
  json.string("rule", one.rule->id);
  json.number("entries", one.entries);
  json.number("disk_bytes", one.disk_bytes);
  json.number("frees", one.frees);
  json.time("newest", one.newest);
  json.bytes_of_each("evidence", one.evidence);
  json.bytes_of_each("demotions", one.demotions);
  if (!one.rebuild.empty()) json.string("rebuild", one.rebuild);
  if (!one.command.empty()) json.string("command", one.command);
  json.end_object();
}

void write_skipped(fs::JsonWriter& json, const std::vector<SkippedCandidate>& skipped) {
  json.begin_array("skipped");
  for (const SkippedCandidate& one : skipped) {
    json.begin_object();
    json.bytes("path", one.path);
    json.string("rule", one.rule->id);
    json.bytes("why", one.why);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::vector<RuleSum> sums_by_rule(const Choice& choice) {
  std::map<std::pair<RuleClass, const Rule*>, RuleSum> sums;
  for (const Candidate* const one : choice.items) {
    RuleSum& sum = sums[{one->cls, one->rule}];
    sum.cls = one->cls;
    sum.rule = one->rule;
    ++sum.items;
    sum.entries += one->entries;
    sum.disk_bytes = base::saturating_add(sum.disk_bytes, one->disk_bytes);
    sum.frees = base::saturating_add(sum.frees, one->frees);
    sum.newest = std::max(sum.newest, one->newest);
  }
  std::vector<RuleSum> all;
  for (const auto& [key, sum] : sums) all.push_back(sum);
  std::sort(all.begin(), all.end(), [](const RuleSum& a, const RuleSum& b) {
    return std::tuple(a.cls, ~a.disk_bytes, std::string_view(a.rule->id)) <
           std::tuple(b.cls, ~b.disk_bytes, std::string_view(b.rule->id));
  });
  return all;
}

fs::Table rule_sums_table(const std::vector<RuleSum>& sums) {
  std::vector<fs::Column> columns = {
      {"class", "Class", fs::CellType::text},
      {"items", "Items", fs::CellType::count, 2},
      {"entries", "Entries", fs::CellType::count, 5},
      {"disk_bytes", "Disk usage", fs::CellType::bytes, 3},
      {"frees", "Frees", fs::CellType::bytes},
      {"newest", "Last change", fs::CellType::time, 4},
      {"title", "What", fs::CellType::text, 6},
      {"rule", "Rule", fs::CellType::text},
  };
  auto read = [&sums](std::size_t row, std::vector<fs::Cell>& cells) {
    const RuleSum& sum = sums[row];
    fs::add_cells(cells, class_text(sum.cls), sum.items, sum.entries, sum.disk_bytes, sum.frees,
                  newest_cell(sum.newest), sum.rule->title, sum.rule->id);
  };
  return {{.key = "rules", .title = "By rule"}, std::move(columns), sums.size(), std::move(read)};
}

fs::Table items_table(const Choice& choice) {
  std::vector<fs::Column> columns = {
      {"class", "Class", fs::CellType::text, 2},
      {"rule", "Rule", fs::CellType::text, 3},
      {"newest", "Last change", fs::CellType::time, 1},
      {"entries", "Entries", fs::CellType::count, 5},
      {"disk_bytes", "Disk usage", fs::CellType::bytes, 4},
      {"frees", "Frees", fs::CellType::bytes},
      {"path", "Path", fs::CellType::path},
  };
  auto read = [&choice](std::size_t row, std::vector<fs::Cell>& cells) {
    const Candidate& one = *choice.items[row];
    fs::add_cells(cells, class_text(one.cls), one.rule->id, newest_cell(one.newest), one.entries,
                  one.disk_bytes, one.frees, one.path);
  };
  return {{.key = "items", .title = "Largest items"},
          std::move(columns),
          choice.items.size(),
          std::move(read)};
}

fs::Table rules_table(const RuleSet& rules) {
  std::vector<fs::Column> columns = {
      {"class", "Class", fs::CellType::text},
      {"title", "What", fs::CellType::text, 2},
      {"file", "File", fs::CellType::text, 1},
      {"rule", "Rule", fs::CellType::text},
  };
  auto read = [&rules](std::size_t row, std::vector<fs::Cell>& cells) {
    const Rule& rule = *rules.rules()[row];
    fs::add_cells(cells, class_text(rule.cls), rule.title, rule.file, rule.id);
  };
  return {{.key = "rules", .title = "Rules"},
          std::move(columns),
          rules.rules().size(),
          std::move(read)};
}

void write_rules_json(const RuleSet& rules, const fs::Sink& sink) {
  fs::JsonWriter json(sink);
  json.begin_object();
  json.string("schema", "fathom.clean.rules/1");
  json.begin_array("rules");
  for (const auto& rule : rules.rules()) {
    json.begin_object();
    json.bytes("rule", rule->id);
    json.string("class", to_string(rule->cls));
    json.bytes("title", rule->title);
    json.bytes("file", rule->file);
    json.bytes_of_each("evidence", rule->sentences());
    json.begin_array("demotions");
    for (const Demotion& demotion : rule->demotions) {
      json.begin_object();
      json.string("to", to_string(demotion.to));
      json.bytes("why", demotion.why);
      json.end_object();
    }
    json.end_array();
    if (!rule->rebuild.empty()) json.bytes("rebuild", rule->rebuild);
    if (!rule->command.empty()) json.bytes("command", rule->command);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  json.end_line();
  json.flush();
}

void write_clean_json(const fs::Scan& scan, const Candidates& found, const Choice& choice,
                      const fs::Sink& sink) {
  fs::JsonWriter json(sink);
  json.begin_object();
  json.string("schema", "fathom.clean/1");
  json.path_objects("roots", scan.roots);
  fs::write_accuracy(json, fs::accuracy_of(scan));
  const std::vector<RuleSum> sums = sums_by_rule(choice);
  const fs::Table table = rule_sums_table(sums);
  json.key("rules");
  fs::write_json_rows(json, table, 0, table.rows());
  json.begin_array("items");
  for (const Candidate* const one : choice.items) write_item(json, *one);
  json.end_array();
  write_skipped(json, found.skipped);
  json.begin_object("total");
  json.number("items", choice.items.size());
  json.number("frees", choice.frees);
  json.flag("enough", choice.enough);
  json.end_object();
  json.number("unseen_processes", found.unseen_processes);
  json.end_object();
  json.end_line();
  json.flush();
}

}  // namespace fathom::act
