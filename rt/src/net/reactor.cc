// Reactor: epoll with numbered registrations.

#include "fathom/rt/net/reactor.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>

#include "fathom/base/error.h"

namespace fathom::rt {

namespace {

constexpr std::uint32_t kNoSlot = 0xffffffff;  // also the tag of no registration
constexpr const char* kCannotWait = "cannot wait for a descriptor";

std::uint32_t epoll_events(unsigned interest, Reactor::Trigger trigger) {
  std::uint32_t events = trigger == Reactor::Trigger::edge ? std::uint32_t{EPOLLET} : 0;
  if ((interest & Reactor::kReadable) != 0) events |= EPOLLIN | EPOLLRDHUP;
  if ((interest & Reactor::kEnded) != 0) events |= EPOLLRDHUP;
  if ((interest & Reactor::kWritable) != 0) events |= EPOLLOUT;
  return events;
}

unsigned ready_for(std::uint32_t events) {
  unsigned ready = 0;
  if ((events & (EPOLLIN | EPOLLPRI)) != 0) ready |= Reactor::kReadable;
  if ((events & EPOLLOUT) != 0) ready |= Reactor::kWritable;
  if ((events & EPOLLHUP) != 0) ready |= Reactor::kHangUp;
  if ((events & EPOLLERR) != 0) ready |= Reactor::kError;
  if ((events & EPOLLRDHUP) != 0) ready |= Reactor::kEnded;
  return ready;
}

// Rounds up: a timer is never early, and the loop does not spin until it is due.
int milliseconds(EventLoop::Duration duration) {
  if (duration < EventLoop::Duration::zero()) return -1;
  const auto rounded = std::chrono::ceil<std::chrono::milliseconds>(duration).count();
  return static_cast<int>(std::min<std::int64_t>(rounded, INT_MAX));
}

}  // namespace

struct Reactor::Events {
  explicit Events(std::size_t count) : buffer(count) {}
  std::vector<epoll_event> buffer;
};

Reactor::Reactor() : Reactor(Options{}) {}

Reactor::Reactor(Options options)
    : events_(std::make_unique<Events>(
          std::clamp<std::size_t>(options.events, 1, INT_MAX / sizeof(epoll_event)))) {
  epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
  if (epoll_) wake_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  // Edge-triggered, so the count need not be read: each write is a new event.
  epoll_event event = {};
  event.events = EPOLLIN | EPOLLET;
  event.data.u64 = kNoSlot;
  if (!wake_ || ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event) != 0) {
    throw base::SystemError("cannot create an event loop", errno);
  }
}

// Destructors of jobs, timers and callbacks may remove registrations, post jobs and set timers.
Reactor::~Reactor() {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Callback callback = std::exchange(slots_[i].callback, nullptr);
  }
  drop_all();
}

Reactor::Registration Reactor::add(int descriptor, unsigned interest, Callback callback,
                                   Trigger trigger) {
  const std::uint32_t number = slots_.prepare();
  // Reserve for every slot, because remove() must not fail.
  if (removed_.capacity() < slots_.size()) removed_.reserve(2 * slots_.size() + 8);
  const auto place = static_cast<std::size_t>(std::max(descriptor, 0));
  if (place >= slot_of_.size()) {
    // A number that is not a descriptor must not take memory.
    if (::fcntl(descriptor, F_GETFD) < 0) throw base::SystemError(kCannotWait, errno);
    slot_of_.resize(place + 1, kNoSlot);
  }
  Slot& slot = slots_[number];
  slot.descriptor = descriptor;
  slot.trigger = trigger;
  control(EPOLL_CTL_ADD, number, interest);
  slot.callback = std::move(callback);
  slot_of_[place] = number;
  return slots_.take();
}

void Reactor::change(Registration registration, unsigned interest) {
  if (slots_.find(registration) == nullptr || !is_registered(registration.slot_)) return;
  control(EPOLL_CTL_MOD, registration.slot_, interest);
}

void Reactor::remove(Registration registration) noexcept {
  const Slot* const slot = slots_.find(registration);
  if (slot == nullptr) return;
  if (is_registered(registration.slot_) && !in_child()) {
    static_cast<void>(::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, slot->descriptor, nullptr));
    slot_of_[static_cast<std::size_t>(slot->descriptor)] = kNoSlot;
  }
  slots_.end(registration.slot_);
  removed_.push_back(registration.slot_);
}

// A descriptor that was closed before it was removed has already left the epoll set, and a file
// that was registered since may have the same number.
bool Reactor::is_registered(std::uint32_t number) const noexcept {
  return slot_of_[static_cast<std::size_t>(slots_[number].descriptor)] == number;
}

void Reactor::control(int operation, std::uint32_t number, unsigned interest) {
  refuse_child();
  const Slot& slot = slots_[number];
  epoll_event event = {};
  event.events = epoll_events(interest, slot.trigger);
  event.data.u64 = slots_.id_of(number).tag();
  if (::epoll_ctl(epoll_.get(), operation, slot.descriptor, &event) != 0) {
    throw base::SystemError(kCannotWait, errno);
  }
}

void Reactor::watch(int descriptor, UniqueFunction<void()> readable) {
  add(descriptor, kReadable, [call = std::move(readable)](unsigned) mutable { call(); });
}

std::size_t Reactor::wait(Duration most) {
  next_event_ = event_count_ = 0;
  if (!removed_.empty()) {
    free_removed();
    most = Duration::zero();
  }
  const int count = ::epoll_wait(epoll_.get(), events_->buffer.data(),
                                 static_cast<int>(events_->buffer.size()), milliseconds(most));
  // A signal handler ran and may have called stop().
  if (count < 0 && errno == EINTR) return 0;
  if (count < 0) throw base::SystemError("cannot wait for events", errno);
  event_count_ = static_cast<std::size_t>(count);
  return event_count_;
}

void Reactor::dispatch() {
  while (next_event_ < event_count_) {
    const epoll_event& event = events_->buffer[next_event_++];
    const Registration of(std::uint64_t{event.data.u64});
    if (Slot* const slot = slots_.find(of)) slot->callback(ready_for(event.events));
  }
}

// Frees the slots of removed registrations. Called between turns, when no callback is running.
void Reactor::free_removed() noexcept {
  // The destructor of a callback may remove others.
  while (!removed_.empty()) {
    const std::uint32_t number = removed_.back();
    removed_.pop_back();
    const Callback callback = std::exchange(slots_[number].callback, nullptr);
    slots_.release(number);
  }
}

void Reactor::wake() noexcept {
  const std::uint64_t one = 1;
  // It fails only after 2^64 - 2 unnoticed wakes; then the event is pending anyway.
  static_cast<void>(!::write(wake_.get(), &one, sizeof one));
}

}  // namespace fathom::rt
