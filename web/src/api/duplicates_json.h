// duplicates_answer: what the HTTP interface says of duplicates, as docs/HTTP.md promises it.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "api/answer.h"
#include "api/snapshot.h"
#include "fathom/fs/duplicates.h"

namespace fathom::web {

enum class DuplicatesState : std::uint8_t { none, running, complete, interrupted, failed };

struct DuplicateState {
  std::uint64_t generation = 0;  // of the snapshot that is searched
  DuplicatesState state = DuplicatesState::none;
  std::string message = {};  // why it failed
  fs::DuplicateProgress progress = {};
  std::shared_ptr<const Snapshot> snapshot =
      {};  // that found's nodes are of; may be null without it
  std::shared_ptr<const fs::Duplicates> found = {};  // groups are shown when the state is complete
};

// query: offset and limit, as it came.
[[nodiscard]] Answer duplicates_answer(const DuplicateState& state, std::string_view query);

}  // namespace fathom::web
