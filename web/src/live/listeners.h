// Listeners: the connections that receive events. Each event is the newest state.
//
// Guarantees: at most five events per second. A connection that is congested skips events, and gets
// the newest one when it can send again. Every 15 seconds each connection gets an event or a
// comment. Belongs to the thread of the loop.

#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <unordered_set>

#include "fathom/rt/net/event_loop.h"
#include "http/connection.h"

namespace fathom::web {

class Listeners {
 public:
  static constexpr std::size_t kMost = 64;

  // newest: makes the text of the newest event. The loop must outlive the object.
  Listeners(rt::EventLoop& loop, std::function<std::string()> newest);
  ~Listeners();
  Listeners(const Listeners&) = delete;
  Listeners& operator=(const Listeners&) = delete;

  [[nodiscard]] bool full() const { return listeners_.size() >= kMost; }
  // Adds a streaming connection, and sends it the newest event immediately. Requires: not full().
  void add(HttpConnection& listener);
  // Does nothing if the connection is not a listener.
  void remove(HttpConnection& listener) noexcept;

  // There is a newer event.
  void changed();
  // Most of the output of the listener has been sent.
  void sendable(HttpConnection& listener);

 private:
  void tell_all();
  void tell(HttpConnection& listener);
  void keep_alive();

  rt::EventLoop& loop_;
  const std::function<std::string()> newest_;
  std::unordered_set<HttpConnection*> listeners_;
  std::unordered_set<HttpConnection*> behind_;  // listeners that skipped the last event
  std::optional<rt::EventLoop::Time> last_told_;
  bool will_tell_ = false;
  rt::EventLoop::Timer tell_timer_;
  rt::EventLoop::Timer alive_timer_;
};

}  // namespace fathom::web
