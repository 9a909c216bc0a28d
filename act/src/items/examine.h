// examine: opens an item and compares it with the plan, or collects what a plan has to say about
// it.

#pragma once

#include <optional>
#include <string>

#include "fathom/act/plan.h"
#include "fathom/base/fd.h"
#include "items/survey.h"
#include "os/file_state.h"
#include "os/safe_open.h"
#include "run/verdict.h"

namespace fathom::act {

// An item that is open: its directory, and itself if it is a directory.
struct Examined {
  Location location;
  FileState state;
  base::Fd folder;
  Survey survey;
};

// Opens the entry at a plain path below a root, and surveys it. A verdict: why it cannot be acted
// on.
[[nodiscard]] std::optional<Verdict> examine(int root, const std::string& path,
                                             const SurveyOptions& options, Examined& found);

// Whether what was found is what the item says. A verdict: what differs.
[[nodiscard]] std::optional<Verdict> compare(const PlanItem& item, const Examined& found);

// The digest of an item's evidence, as it is now. Nothing, and a sentence in `why`, if a part of it
// is missing.
[[nodiscard]] std::optional<std::string> digest_of_evidence(
    int root, const std::string& path, const std::vector<std::string>& evidence, std::string& why);

}  // namespace fathom::act
