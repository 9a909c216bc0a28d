// Reports of fathom clean: tables of rules and of candidates, and the JSON of both.

#pragma once

#include <vector>

#include "fathom/act/candidates.h"
#include "fathom/act/choice.h"
#include "fathom/act/rules.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/sink.h"
#include "fathom/fs/table.h"

namespace fathom::act {

// The sums of the candidates with the same rule and class.
struct RuleSum {
  RuleClass cls = RuleClass::yours;
  const Rule* rule = nullptr;
  std::uint64_t items = 0;
  std::uint64_t entries = 0;
  std::uint64_t disk_bytes = 0;
  std::uint64_t frees = 0;
  std::int64_t newest = fs::kUnknownTime;  // of all its items
};

// The safest first, then the largest.
[[nodiscard]] std::vector<RuleSum> sums_by_rule(const Choice& choice);

// A row for each sum, and for each item. The arguments must outlive the tables.
[[nodiscard]] fs::Table rule_sums_table(const std::vector<RuleSum>& sums);
[[nodiscard]] fs::Table items_table(const Choice& choice);

// A row for each rule of the set; and all about each, schema fathom.clean.rules/1.
[[nodiscard]] fs::Table rules_table(const RuleSet& rules);
void write_rules_json(const RuleSet& rules, const fs::Sink& sink);

// Schema fathom.clean/1, as docs/CLEAN.md describes it: one object and a newline.
void write_clean_json(const fs::Scan& scan, const Candidates& found, const Choice& choice,
                      const fs::Sink& sink);

}  // namespace fathom::act
