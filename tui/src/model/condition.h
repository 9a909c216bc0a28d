// Condition: a WHERE that the user has typed, applied to the entries of a scan.

#pragma once

#include <string>

#include "fathom/fs/owner_names.h"
#include "fathom/fs/where.h"
#include "fathom/fs/where_facts.h"
#include "model/facts.h"

namespace fathom::tui {

struct Condition {
  std::string text;
  fs::Where where;
};

// Not for several threads at a time: each has its own.
class ConditionFilter {
 public:
  // Both must outlive it.
  ConditionFilter(const Facts& facts, const Condition& condition);
  ConditionFilter(const ConditionFilter&) = delete;
  ConditionFilter& operator=(const ConditionFilter&) = delete;

  [[nodiscard]] bool selects(fs::NodeId node, fs::DirId directory);

 private:
  const Condition& condition_;
  const std::int64_t now_;
  const fs::OwnerNames names_;
  fs::TreeFacts facts_;  // refers to names_
};

}  // namespace fathom::tui
