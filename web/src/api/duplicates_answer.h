// duplicates_answer: the response about duplicates, as docs/HTTP.md documents it.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "api/answer.h"
#include "api/parameters.h"
#include "api/snapshot.h"
#include "fathom/fs/duplicates.h"

namespace fathom::web {

enum class DuplicatesState : std::uint8_t { none, running, complete, interrupted, failed };

struct DuplicateState {
  std::uint64_t generation = 0;  // of the snapshot that is searched
  DuplicatesState state = DuplicatesState::none;
  std::string message = {};  // why the search failed
  fs::DuplicateProgress progress = {};
  // The snapshot to which the nodes of `found` belong; may be null if `found` is.
  std::shared_ptr<const Snapshot> snapshot = {};
  std::shared_ptr<const fs::Duplicates> found = {};  // shown if the state is complete
};

[[nodiscard]] Answer duplicates_answer(const DuplicateState& state, Parameters& given);

}  // namespace fathom::web
