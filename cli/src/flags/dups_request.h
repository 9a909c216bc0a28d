// DupsRequest: the parsed arguments of `fathom dups`.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fathom/act/dup_plan.h"
#include "flags/common_request.h"

namespace fathom::cli {

// The options of a plan, and of applying and undoing it.
struct PlanRequest {
  std::optional<std::string> write;  // the file of the plan to write
  bool force = false;                // replace that file
  std::optional<act::DupAction> action;
  std::optional<act::KeepRule> keep;

  std::optional<std::string> apply;  // the file of the plan to apply
  std::optional<std::string> undo;   // the journal of the run to undo
  bool execute = false;              // false: a dry run
  std::optional<std::string> journal;
  std::optional<std::string> quarantine;  // for writing and applying a plan
  bool trust_times = false;

  // The journal of the plan to write or to apply.
  [[nodiscard]] std::string journal_of_plan() const {
    return journal.value_or((write ? *write : *apply) + ".journal");
  }
  // Whether to apply or undo a plan instead of searching.
  [[nodiscard]] bool acts() const { return apply.has_value() || undo.has_value(); }
};

enum class DupsFormat { text, json, csv, fclones };

struct DupsRequest : CommonRequest {
  DupsFormat format = DupsFormat::text;
  bool summary = false;  // only the totals
  bool all = false;      // no limit, even on a terminal

  std::optional<std::uint64_t> min_size;  // of a file, in bytes
  bool empty = false;                     // include empty files
  bool drop_cache = false;
  bool cache = false;  // remember in the store which files were compared

  PlanRequest plan;
};

}  // namespace fathom::cli
