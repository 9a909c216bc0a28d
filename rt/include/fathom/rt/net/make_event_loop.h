// make_event_loop(): the event loop that suits, and why it is not the other one.
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

// A Proactor where that is preferred and io_uring works here, otherwise a Reactor. `note`, unless
// it is null, tells why it is not the preferred one; empty where it is. Throws base::SystemError
// where the system gives no more descriptors.
std::unique_ptr<EventLoop> make_event_loop(EventLoopKind preferred, std::string* note = nullptr);

}  // namespace fathom::rt
