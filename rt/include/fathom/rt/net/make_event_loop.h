// make_event_loop(): creates the preferred kind of event loop, or explains why it could not.
//
//   std::string note;
//   const auto loop = make_event_loop(EventLoopKind::proactor, &note);
//   if (!note.empty()) log(note);  // "a Reactor instead of a Proactor: io_uring is refused, ..."
//   TcpServer server(*loop, {.port = 7777}, make_handler);

#pragma once

#include <memory>
#include <string>

#include "fathom/rt/net/event_loop.h"

namespace fathom::rt {

enum class EventLoopKind : unsigned char { reactor, proactor };

// A Proactor if it is preferred and io_uring works here, otherwise a Reactor. If the result is not
// the preferred kind, stores the reason in `note`, unless `note` is null; otherwise stores an empty
// string. Throws base::SystemError if the system is out of descriptors.
std::unique_ptr<EventLoop> make_event_loop(EventLoopKind preferred, std::string* note = nullptr);

}  // namespace fathom::rt
