// The kinds of event loops, for tests that all of them must pass.

#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "fathom/rt/net/event_loop.h"
#include "fathom/rt/net/proactor.h"
#include "fathom/rt/net/reactor.h"

namespace fathom::rt::testing {

struct LoopKind {
  std::string name;
  std::unique_ptr<EventLoop> (*make)();  // null if it is not available here
  std::string (*why_not)();
};

inline std::vector<LoopKind> loop_kinds() {
  return {
      {"reactor", []() -> std::unique_ptr<EventLoop> { return std::make_unique<Reactor>(); },
       [] { return std::string(); }},
      {"proactor",
       []() -> std::unique_ptr<EventLoop> {
         if (!Proactor::why_not().empty()) return nullptr;
         return std::make_unique<Proactor>();
       },
       [] { return Proactor::why_not(); }},
  };
}

inline std::string name_of_loop(const ::testing::TestParamInfo<LoopKind>& info) {
  return info.param.name;
}

}  // namespace fathom::rt::testing
