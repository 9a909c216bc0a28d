// make_event_loop(): tries the preferred kind and falls back to a Reactor.

#include "fathom/rt/net/make_event_loop.h"

#include "fathom/base/error.h"
#include "fathom/rt/net/proactor.h"
#include "fathom/rt/net/reactor.h"

namespace fathom::rt {

std::unique_ptr<EventLoop> make_event_loop(EventLoopKind preferred, std::string* note) {
  if (note != nullptr) note->clear();
  std::string reason;
  if (preferred == EventLoopKind::proactor) {
    reason = Proactor::why_not();
    try {
      if (reason.empty()) return std::make_unique<Proactor>();
    } catch (const base::SystemError& error) {
      // A smaller ring worked a moment ago.
      reason = error.what();
    }
  }
  auto loop = std::make_unique<Reactor>();
  if (note != nullptr && !reason.empty()) {
    *note = "a Reactor instead of a Proactor: " + reason;
  }
  return loop;
}

}  // namespace fathom::rt
