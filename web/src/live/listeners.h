// Listeners: the connections that listen to events, each of which tells the newest.
//
// Guarantees: no more than five events a second; who cannot take one, because earlier ones wait to
// be sent, gets the newest when it can; every 15 seconds each hears something. Belongs to the
// thread of the loop.

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

  // newest: the event as it is sent. The loop must outlive it.
  Listeners(rt::EventLoop& loop, std::function<std::string()> newest);
  ~Listeners();
  Listeners(const Listeners&) = delete;
  Listeners& operator=(const Listeners&) = delete;

  [[nodiscard]] bool full() const { return listeners_.size() >= kMost; }
  // One that streams, which is told at once. Requires: not full().
  void add(HttpConnection& listener);
  // It need not be one.
  void remove(HttpConnection& listener) noexcept;

  // There is a newer event.
  void changed();
  // What was sent to the listener has mostly gone out.
  void sendable(HttpConnection& listener);

 private:
  void tell_all();
  void tell(HttpConnection& listener);
  void keep_alive();

  rt::EventLoop& loop_;
  const std::function<std::string()> newest_;
  std::unordered_set<HttpConnection*> listeners_;
  std::unordered_set<HttpConnection*> behind_;  // of those: they could not take the last event
  std::optional<rt::EventLoop::Time> last_told_;
  bool will_tell_ = false;
  rt::EventLoop::Timer tell_timer_;
  rt::EventLoop::Timer alive_timer_;
};

}  // namespace fathom::web
