// plan_answers: the responses about plans that look at the filesystem.
//
// They may take long, and end early when they are cancelled.

#pragma once

#include <string_view>

#include "api/acts.h"
#include "api/answer.h"
#include "api/clean_answer.h"
#include "api/snapshot.h"
#include "fathom/rt/cancel.h"

namespace fathom::web {

// What a plan is made from.
struct PlanSource {
  const Snapshot* snapshot = nullptr;  // null before the first one
  std::string_view body;
  Acts* acts = nullptr;
  const CleanState* clean = nullptr;  // has the reasons of entries that a rule chose
  rt::CancelToken cancel = {};        // once cancelled, the answer does not matter
};

// The plan as the text that `fathom apply` reads.
[[nodiscard]] Answer plan_draft_answer(const PlanSource& source);
// What it would do, and what of it is refused.
[[nodiscard]] Answer plan_review_answer(const PlanSource& source);

// Carry out a reviewed plan, and move back what that has moved. Both change files; they go on if
// the client leaves, and stop only with the server.
[[nodiscard]] Answer plan_apply_answer(Acts& acts, std::string_view body);
[[nodiscard]] Answer plan_undo_answer(Acts& acts, std::string_view body);

}  // namespace fathom::web
