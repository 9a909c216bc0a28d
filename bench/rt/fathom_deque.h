// FathomDeque: the runtime's deque with the interface of the other contenders.

#pragma once

#include <optional>

#include "fathom/rt/deque.h"
#include "rt/suite.h"

namespace fathom::bench {

// Unchanged for its owner; steal() returns whether it got something.
class FathomDeque : public rt::WorkStealingDeque<Item> {
 public:
  std::optional<Item> steal() noexcept {
    const auto [status, item] = WorkStealingDeque::steal();
    if (status != rt::StealStatus::taken) return std::nullopt;
    return item;
  }
};

}  // namespace fathom::bench
