// Listeners: rate-limited events to all listeners.

#include "live/listeners.h"

#include <chrono>
#include <utility>

namespace fathom::web {

namespace {

constexpr std::chrono::milliseconds kBetweenEvents{200};
constexpr std::chrono::seconds kSignOfLife{15};

}  // namespace

Listeners::Listeners(rt::EventLoop& loop, std::function<std::string()> newest)
    : loop_(loop), newest_(std::move(newest)) {
  keep_alive();
}

Listeners::~Listeners() {
  loop_.cancel(tell_timer_);
  loop_.cancel(alive_timer_);
}

void Listeners::add(HttpConnection& listener) {
  listeners_.insert(&listener);
  tell(listener);
}

void Listeners::remove(HttpConnection& listener) noexcept {
  listeners_.erase(&listener);
  behind_.erase(&listener);
}

void Listeners::changed() {
  if (will_tell_) return;
  const auto since = last_told_ ? loop_.now() - *last_told_ : rt::EventLoop::Duration::max();
  if (since >= kBetweenEvents) return tell_all();
  will_tell_ = true;
  tell_timer_ = loop_.after(kBetweenEvents - since, [this] {
    will_tell_ = false;
    tell_all();
  });
}

void Listeners::sendable(HttpConnection& listener) {
  if (behind_.erase(&listener) > 0) tell(listener);
}

// A failed connection is reported later, by its close, so nothing is removed from the set here.
void Listeners::tell_all() {
  last_told_ = loop_.now();
  for (HttpConnection* const listener : listeners_) tell(*listener);
}

void Listeners::tell(HttpConnection& listener) {
  if (listener.is_congested()) {
    behind_.insert(&listener);
  } else {
    listener.send(newest_());
  }
}

void Listeners::keep_alive() {
  alive_timer_ = loop_.after(kSignOfLife, [this] { keep_alive(); });
  for (HttpConnection* const listener : listeners_) {
    if (!listener->is_congested()) listener->send(": alive\n\n");
  }
}

}  // namespace fathom::web
