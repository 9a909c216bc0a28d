// clean_answer: the response about what can be cleaned up, as docs/HTTP.md documents it.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "api/answer.h"
#include "api/parameters.h"
#include "api/snapshot.h"
#include "fathom/act/candidates.h"
#include "fathom/act/rules.h"

namespace fathom::web {

// What the rules chose; the candidates refer to the rules.
struct CleanFound {
  act::RuleSet rules;
  act::Candidates candidates;
};

struct CleanState {
  enum class Phase : std::uint8_t { none, running, done, interrupted, failed };

  std::uint64_t generation = 0;  // of the snapshot that is searched
  Phase phase = Phase::none;
  std::string message = {};  // why the search failed
  // The snapshot to which the nodes of `found` belong. Neither is null if the phase is done.
  std::shared_ptr<const Snapshot> snapshot = {};
  std::shared_ptr<const CleanFound> found = {};
};

[[nodiscard]] Answer clean_answer(const CleanState& state, Parameters& given);

}  // namespace fathom::web
