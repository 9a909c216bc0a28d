// SwitchStates: what a thread did between its context switches.

#pragma once

#include <cstdint>
#include <optional>

#include "timeline/switch_records.h"

namespace fathom::diag {

// A time in which a thread ran on one processor, waited, or was ready but had none. `kind` is that
// of the switch with which it began.
struct SwitchState {
  Switch::Kind kind = Switch::Kind::in;
  std::uint32_t processor = 0;  // of Kind::in
  std::uint64_t begin = 0;      // nanoseconds
  std::uint64_t end = 0;
};

class SwitchStates {
 public:
  explicit SwitchStates(const Switch& first) noexcept : last_(first) {}

  // The state that ends with the switch. None if records were lost before it: they may have ended
  // the state, and begun others.
  std::optional<SwitchState> next(const Switch& now) noexcept {
    std::optional<SwitchState> state;
    if (now.kind != Switch::Kind::lost) state = until(now.nanoseconds);
    last_ = now;
    return state;
  }
  // The state so far.
  [[nodiscard]] std::optional<SwitchState> until(std::uint64_t nanoseconds) const noexcept {
    if (last_.kind == Switch::Kind::lost || nanoseconds < last_.nanoseconds) return std::nullopt;
    return SwitchState{.kind = last_.kind,
                       .processor = last_.processor,
                       .begin = last_.nanoseconds,
                       .end = nanoseconds};
  }

 private:
  Switch last_;
};

}  // namespace fathom::diag
