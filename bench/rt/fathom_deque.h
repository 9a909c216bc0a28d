// FathomDeque: the runtime's deque in the shape of the other contenders.

#pragma once

#include <optional>

#include "fathom/rt/deque.h"
#include "suite.h"

namespace fathom::bench {

// To its owner it is as it is; to thieves it only says whether they got something.
class FathomDeque : public rt::WorkStealingDeque<Item> {
 public:
  std::optional<Item> steal() noexcept {
    const auto [status, item] = WorkStealingDeque::steal();
    if (status != rt::StealStatus::taken) return std::nullopt;
    return item;
  }
};

}  // namespace fathom::bench
