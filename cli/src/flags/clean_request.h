// CleanRequest: the parsed arguments of `fathom clean`.

#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "fathom/act/rules.h"
#include "flags/common_request.h"
#include "flags/item_plan_request.h"

namespace fathom::cli {

struct CleanRequest : CommonRequest {
  TableFormat format = TableFormat::text;
  std::set<act::RuleClass> classes;  // empty: all but yours
  std::set<std::string> rules;       // ids; empty: all
  std::uint64_t need = 0;            // bytes to free; 0: everything

  std::optional<std::string> rules_directory;
  std::optional<std::string> why;  // the entry to explain
  bool list_rules = false;

  ItemPlanRequest plan;
  std::optional<std::string> quarantine;  // where a plan moves everything

  bool purge = false;    // empty quarantines, and do nothing else
  bool execute = false;  // with purge: do it, instead of a dry run

  std::uint64_t max_operations = 0;  // per second; 0: no limit
};

}  // namespace fathom::cli
