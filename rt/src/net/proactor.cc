// Proactor: the life of operations, submission, and dispatch of completions.

#include "fathom/rt/net/proactor.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "fathom/base/error.h"
#include "net/proactor_ring.h"

namespace fathom::rt {

namespace {

// Marks the tag of a cancellation; slot numbers are smaller.
constexpr std::uint64_t kCancelBit = std::uint64_t{1} << 31;
// Not the tag of an operation: no slot has this number.
constexpr std::uint64_t kWakeTag = (std::uint64_t{1} << 31) - 1;

// The delay before retrying a submission for which the kernel had no memory.
constexpr std::chrono::milliseconds kRetry{10};

// The most bytes of one receive or send, whose result is an int.
constexpr std::size_t kMostBytes = INT_MAX;
// The size of the private buffer of a receive that does not share buffers.
constexpr std::size_t kOwnBufferBytes = 4096;

bool is_final(unsigned flags) {
  return (flags & IORING_CQE_F_MORE) == 0;
}

// Whether the file is always ready, so that nothing can wait for it. Only epoll says so.
bool is_always_ready(int descriptor) {
  const base::Fd epoll(::epoll_create1(EPOLL_CLOEXEC));
  epoll_event event = {};
  return epoll && ::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, descriptor, &event) != 0 &&
         errno == EPERM;
}

// A socket pair for a trial operation.
std::array<base::Fd, 2> make_pair() {
  std::array<int, 2> ends = {};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw base::SystemError("cannot create a socket", errno);
  }
  return {base::Fd(ends[0]), base::Fd(ends[1])};
}

// Sends a byte and receives it. Returns an errno, or 0.
int try_once() {
  Proactor proactor({.submissions = 4, .completions = 8, .buffers = 2, .buffer_bytes = 64});
  const std::array<base::Fd, 2> pair = make_pair();
  const std::byte sent{7};
  int error = 0;
  int last_calls = 0;
  const auto finish = [&](int result) {
    if (result < 0 && error == 0) error = -result;
    if (++last_calls == 2) proactor.stop();
  };
  const Proactor::Operation receive = proactor.receive(pair[0].get(), [&](const auto& done) {
    if (done.result > 0 && done.bytes[0] != sent) error = EIO;
    if (done.is_last) return finish(done.result == -ECANCELED ? 0 : done.result);
    proactor.cancel(receive);
  });
  proactor.send(pair[1].get(), std::span(&sent, 1), [&](const auto& done) { finish(done.result); });
  proactor.after(std::chrono::seconds(5), [&] {
    error = ETIMEDOUT;
    proactor.stop();
  });
  proactor.run();
  return error;
}

}  // namespace

// Returns a shared buffer to the kernel when it goes out of scope, even if the callback throws.
class Proactor::Lent {
 public:
  Lent(Buffers* buffers, const Event& event)
      : buffers_((event.flags & IORING_CQE_F_BUFFER) != 0 ? buffers : nullptr),
        number_(event.flags >> IORING_CQE_BUFFER_SHIFT) {}
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  ~Lent() {
    if (buffers_ != nullptr) buffers_->give_back(number_);
  }
  [[nodiscard]] bool is_one() const { return buffers_ != nullptr; }
  [[nodiscard]] std::span<const std::byte> get(std::size_t bytes) const {
    return buffers_->get(number_, bytes);
  }

 private:
  Buffers* const buffers_;
  const unsigned number_;
};

std::string Proactor::why_not() {
  const char* const off = std::getenv("FATHOM_NO_IO_URING");
  if (off != nullptr && *off != '\0' && std::strcmp(off, "0") != 0) {
    return "FATHOM_NO_IO_URING disables io_uring";
  }
  try {
    const int error = try_once();
    return error == 0 ? "" : base::SystemError("io_uring does not work here", error).what();
  } catch (const base::SystemError& error) {
    return error.what();
  }
}

Proactor::Proactor() : Proactor(Options{}) {}

Proactor::Proactor(Options options) : options_(options) {
  if (options_.buffers > 0) {
    buffers_ = std::make_unique<Buffers>(
        options_.buffers, std::clamp<std::size_t>(options_.buffer_bytes, 1, kMostBytes));
  }
  open();
  wake_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake_) throw base::SystemError("cannot create an event loop", errno);
}

// The kernel must stop first: jobs and callbacks may own the bytes that it sends.
Proactor::~Proactor() {
  ending_ = true;
  if (ring_ != nullptr) cancel_all();
  retire();
  close_untold();
  drop_callbacks();
}

// Closes accepted connections that were never reported.
void Proactor::close_untold() noexcept {
  for (; next_event_ < events_.size(); ++next_event_) {
    const Event& event = events_[next_event_];
    const Slot* const slot = slots_.find(Operation(event.tag));
    if (slot == nullptr || slot->kind != Kind::accept) continue;
    // The result of a poll is a set of events.
    if (!slot->poll_first && event.result >= 0) ::close(event.result);
  }
}

// Destroys callbacks, jobs and timers. Their destructors may abandon operations, start others,
// which are never reported, post jobs and set timers.
void Proactor::drop_callbacks() noexcept {
  bool any = true;
  while (std::exchange(any, false)) {
    drop_all();
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      const Callback callback = std::exchange(slots_[i].callback, nullptr);
      any = any || callback != nullptr;
    }
  }
}

// ---- Operations

Proactor::Operation Proactor::accept(int listener, Callback callback) {
  return start(Kind::accept, listener, {}, std::move(callback));
}

Proactor::Operation Proactor::receive(int socket, Callback callback) {
  return start(Kind::receive, socket, {}, std::move(callback));
}

Proactor::Operation Proactor::receive_once(int socket, Callback callback) {
  const Operation operation = start(Kind::receive, socket, {}, std::move(callback));
  Slot& slot = slots_[operation.slot_];
  slot.once = slot.one_shot = true;
  return operation;
}

Proactor::Operation Proactor::send(int socket, std::span<const std::byte> bytes,
                                   Callback callback) {
  return start(Kind::send, socket, bytes, std::move(callback));
}

Proactor::Operation Proactor::ready(int descriptor, short events, Callback callback) {
  const Operation operation = start(Kind::ready, descriptor, {}, std::move(callback));
  slots_[operation.slot_].events = events;
  return operation;
}

Proactor::Operation Proactor::start(Kind kind, int descriptor, std::span<const std::byte> bytes,
                                    Callback callback) {
  if (!ending_) refuse_child();
  const std::uint32_t number = slots_.prepare(kWakeTag);
  Slot& slot = slots_[number];
  slot.callback = std::move(callback);
  slot.kind = kind;
  slot.descriptor = descriptor;
  slot.bytes = bytes;
  slot.cancelled = slot.abandoned = slot.once = slot.poll_first = false;
  slot.one_shot = !options_.multishot;
  slot.state = State::queued;
  append(queued_, number);
  return slots_.take();
}

void Proactor::watch(int descriptor, UniqueFunction<void()> readable) {
  ready(descriptor, POLLIN, [call = std::move(readable)](const Completion& done) mutable {
    if (done.result > 0) call();
  });
}

bool Proactor::cancel(Operation operation) noexcept {
  Slot* const slot = find(operation);
  if (slot == nullptr || slot->cancelled) return false;
  slot->cancelled = true;
  if (slot->state == State::queued) {
    slot->state = State::ended;
    append(ended_, operation.slot_);
  } else if (slot->state == State::in_flight) {
    append(to_cancel_, operation.slot_);
  }
  return true;
}

void Proactor::abandon(Operation operation) noexcept {
  Slot* const slot = find(operation);
  if (slot == nullptr) return;
  cancel(operation);
  slot->abandoned = true;
  while (slot->state == State::in_flight) {
    // A ring that belongs to another thread cannot be used, only closed.
    if (!ring_->may_enter()) return retire();
    submit_cancels();
    if (ring_->submit_and_wait(Duration(-1)) != 0) return retire();
    harvest();
  }
}

Proactor::Slot* Proactor::find(Operation operation) noexcept {
  Slot* const slot = slots_.find(operation);
  return slot == nullptr || slot->abandoned ? nullptr : slot;
}

void Proactor::append(List& list, std::uint32_t number) noexcept {
  leave(number);
  Slot& slot = slots_[number];
  slot.list = &list;
  slot.before = list.last;
  slot.after = kNone;
  (list.last == kNone ? list.first : slots_[list.last].after) = number;
  list.last = number;
}

void Proactor::leave(std::uint32_t number) noexcept {
  Slot& slot = slots_[number];
  if (slot.list == nullptr) return;
  (slot.before == kNone ? slot.list->first : slots_[slot.before].after) = slot.after;
  (slot.after == kNone ? slot.list->last : slots_[slot.after].before) = slot.before;
  slot.list = nullptr;
}

// Requires that the callback has been moved out or is not running.
void Proactor::free(std::uint32_t number) noexcept {
  Slot& slot = slots_[number];
  slot.buffer.reset();
  slot.state = State::free;
  leave(number);
  slots_.end(number);
  slots_.release(number);
  const Callback callback = std::exchange(slot.callback, nullptr);
}

// ---- The ring

void Proactor::open() {
  auto ring = std::make_unique<Ring>(options_);
  if (buffers_ != nullptr && !buffers_->offer(ring->get())) buffers_.reset();
  events_.reserve(ring->get().cq.ring_entries);
  ring_ = std::move(ring);
}

// Closes the ring. Operations in progress continue on the next ring, except sends, because it is
// unknown how many bytes they have sent.
void Proactor::retire() noexcept {
  if (ring_ == nullptr) return;
  if (!ring_->in_child()) harvest();
  if (!ring_->close(in_flight_ > 0 || wake_armed_)) {
    // Leak the memory: the kernel may still write to it.
    static_cast<void>(buffers_.release());
    for (std::size_t i = 0; i < slots_.size(); ++i) static_cast<void>(slots_[i].buffer.release());
  }
  ring_.reset();
  wake_armed_ = false;
  for (std::uint32_t number = 0; number < slots_.size(); ++number) {
    Slot& slot = slots_[number];
    if (slot.state != State::in_flight) continue;
    --in_flight_;
    const bool goes_on = slot.kind != Kind::send && !slot.cancelled;
    slot.state = goes_on ? State::queued : State::ended;
    append(goes_on ? queued_ : ended_, number);
  }
}

void Proactor::cancel_all() noexcept {
  for (std::uint32_t number = 0; number < slots_.size(); ++number) {
    Slot& slot = slots_[number];
    if (slot.state == State::queued) leave(number);
    if (slot.state != State::in_flight || std::exchange(slot.cancelled, true)) continue;
    append(to_cancel_, number);
  }
  if (!ring_->is_enabled() || !ring_->may_enter()) return;
  while (in_flight_ > 0 || wake_armed_) {
    if (wake_armed_ && !submit_cancel(kWakeTag)) return;
    submit_cancels();
    if (ring_->submit_and_wait(Duration(-1)) != 0) return;
    harvest();
  }
}

std::size_t Proactor::wait(Duration most) {
  drop_handled();
  if (ring_ != nullptr && !ring_->may_enter()) retire();
  // The events may hold buffers of the old ring.
  if (!events_.empty()) return events_.size();
  if (ring_ == nullptr) open();
  ring_->enable();
  const bool all = submit_wake() && submit_cancels() && submit_starts();
  if (ended_.first != kNone || !events_.empty()) most = Duration::zero();
  if (!all && (most < Duration::zero() || most > kRetry)) most = kRetry;
  const int error = ring_->submit_and_wait(most);
  if (::io_uring_cq_has_overflow(&ring_->get())) ++counts_.overflows;
  harvest();
  take_ended();
  if (error != 0) throw base::SystemError("cannot wait for completions", error);
  return events_.size();
}

// submit_wake(), submit_cancels() and submit_starts() return whether the kernel had room for
// everything.
bool Proactor::submit_starts() {
  while (queued_.first != kNone) {
    if (!submit_start(queued_.first)) return false;
  }
  return true;
}

bool Proactor::submit_cancels() {
  while (to_cancel_.first != kNone) {
    const std::uint32_t number = to_cancel_.first;
    if (!submit_cancel(slots_.id_of(number).tag())) return false;
    // It may have completed while the queue was full.
    if (slots_[number].list == &to_cancel_) leave(number);
  }
  return true;
}

bool Proactor::submit_wake() {
  if (wake_armed_) return true;
  auto* const entry = static_cast<io_uring_sqe*>(next_entry());
  if (entry == nullptr) return false;
  ::io_uring_prep_poll_multishot(entry, wake_.get(), POLLIN);
  ::io_uring_sqe_set_data64(entry, kWakeTag);
  wake_armed_ = true;
  return true;
}

bool Proactor::submit_start(std::uint32_t number) {
  Slot& slot = slots_[number];
  const bool own_buffer = slot.kind == Kind::receive && buffers_ == nullptr;
  if (own_buffer && slot.buffer == nullptr) {
    slot.buffer = std::make_unique<std::byte[]>(kOwnBufferBytes);
  }
  auto* const entry = static_cast<io_uring_sqe*>(next_entry());
  if (entry == nullptr) return false;
  if (slot.kind == Kind::ready) {
    ::io_uring_prep_poll_multishot(entry, slot.descriptor, static_cast<unsigned>(slot.events));
  } else if (slot.poll_first) {
    ::io_uring_prep_poll_add(entry, slot.descriptor, slot.kind == Kind::send ? POLLOUT : POLLIN);
  } else if (slot.kind == Kind::send) {
    const std::size_t size = std::min(slot.bytes.size(), kMostBytes);
    ::io_uring_prep_send(entry, slot.descriptor, slot.bytes.data(), size, MSG_NOSIGNAL);
  } else if (slot.kind == Kind::accept) {
    const auto prepare = slot.one_shot ? ::io_uring_prep_accept : ::io_uring_prep_multishot_accept;
    prepare(entry, slot.descriptor, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  } else if (own_buffer) {
    ::io_uring_prep_recv(entry, slot.descriptor, slot.buffer.get(), kOwnBufferBytes, 0);
  } else {
    const auto prepare = slot.one_shot ? ::io_uring_prep_recv : ::io_uring_prep_recv_multishot;
    prepare(entry, slot.descriptor, nullptr, 0, 0);
    entry->flags |= IOSQE_BUFFER_SELECT;
  }
  ::io_uring_sqe_set_data64(entry, slots_.id_of(number).tag());
  leave(number);
  slot.state = State::in_flight;
  ++in_flight_;
  ++counts_.started;
  return true;
}

bool Proactor::submit_cancel(std::uint64_t tag) {
  auto* const entry = static_cast<io_uring_sqe*>(next_entry());
  if (entry == nullptr) return false;
  ::io_uring_prep_cancel64(entry, tag, 0);
  ::io_uring_sqe_set_data64(entry, tag | kCancelBit);
  if (ring_->has_feature(IORING_FEAT_CQE_SKIP)) entry->flags |= IOSQE_CQE_SKIP_SUCCESS;
  ++counts_.cancelled;
  return true;
}

// If the submission queue is full, submits its contents first. Null if the kernel accepts none.
void* Proactor::next_entry() {
  io_uring_sqe* entry = ::io_uring_get_sqe(&ring_->get());
  if (entry != nullptr) return entry;
  static_cast<void>(ring_->submit());
  entry = ::io_uring_get_sqe(&ring_->get());
  if (entry != nullptr) return entry;
  // Too many completions may be the reason.
  harvest();
  static_cast<void>(ring_->submit());
  return ::io_uring_get_sqe(&ring_->get());
}

// Moves all completions to the events, also those that did not fit into the queue: the kernel would
// drop these if another thread took over and closed the ring.
void Proactor::harvest() {
  io_uring& ring = ring_->get();
  harvest_queue();
  while (::io_uring_cq_has_overflow(&ring) && ::io_uring_get_events(&ring) >= 0) harvest_queue();
}

void Proactor::harvest_queue() {
  io_uring& ring = ring_->get();
  const unsigned count = ::io_uring_cq_ready(&ring);
  for (unsigned i = 0; i < count; ++i) {
    io_uring_cqe* entry = nullptr;
    if (::io_uring_peek_cqe(&ring, &entry) != 0) return;
    const Event event{entry->user_data, entry->res, entry->flags};
    const bool is_cancel = (event.tag & kCancelBit) != 0;
    if (!is_cancel) events_.push_back(event);
    ::io_uring_cqe_seen(&ring, entry);
    if (is_cancel && event.result < 0) cancel_again(event.tag & ~kCancelBit);
    if (is_cancel || !is_final(event.flags)) continue;
    if (event.tag == kWakeTag) wake_armed_ = false;
    Slot* const slot = slots_.find(Operation(event.tag));
    if (slot == nullptr || slot->state != State::in_flight) continue;
    leave(static_cast<std::uint32_t>(event.tag));
    slot->state = State::completed;
    --in_flight_;
  }
}

// The cancellation did not find the operation: it has completed, or was between two states.
void Proactor::cancel_again(std::uint64_t tag) noexcept {
  const Slot* const slot = slots_.find(Operation(tag));
  if (slot == nullptr || slot->state != State::in_flight) return;
  if (slot->cancelled) append(to_cancel_, static_cast<std::uint32_t>(tag));
}

void Proactor::take_ended() {
  while (ended_.first != kNone) {
    const std::uint32_t number = ended_.first;
    events_.push_back({slots_.id_of(number).tag(), -ECANCELED, 0});
    leave(number);
    slots_[number].state = State::completed;
  }
}

void Proactor::wake() noexcept {
  const std::uint64_t one = 1;
  // It fails only after 2^64 - 2 unread wakes; then the event is pending anyway.
  static_cast<void>(!::write(wake_.get(), &one, sizeof one));
}

// ---- Completions

void Proactor::dispatch() {
  drop_handled();
  // Abandoned operations add more events, for the next turn.
  const std::size_t end = events_.size();
  while (next_event_ < end) {
    const Event event = events_[next_event_++];
    handle(event);
  }
}

void Proactor::drop_handled() noexcept {
  events_.erase(events_.begin(), events_.begin() + static_cast<std::ptrdiff_t>(next_event_));
  next_event_ = 0;
}

void Proactor::handle(const Event& event) {
  const Lent lent(buffers_.get(), event);
  Slot* const slot = slots_.find(Operation(event.tag));
  if (slot == nullptr) return;
  const auto number = static_cast<std::uint32_t>(event.tag);
  int result = event.result;
  // The poll has completed: now make the actual call.
  if (std::exchange(slot->poll_first, false) && result >= 0) result = -EINTR;
  bool is_last = is_final(event.flags);
  if (is_last) {
    const bool may_wait = slot->kind == Kind::ready && !slot->cancelled;
    if (may_wait && is_always_ready(slot->descriptor)) result = -EPERM;
    const bool passes = result < 0 && is_passing(*slot, -result);
    const bool goes_on = (slot->kind == Kind::accept && result >= 0) ||
                         (slot->kind == Kind::receive && !slot->once && result > 0) ||
                         (slot->kind == Kind::ready && result > 0);
    if (!slot->cancelled && (passes || goes_on)) {
      is_last = false;
      slot->state = State::queued;
      append(queued_, number);
      ++counts_.restarted;
    } else if (passes) {
      result = -ECANCELED;
    }
    if (passes && !is_last) return;
  }
  const auto size = static_cast<std::size_t>(std::max(result, 0));
  if (slot->kind == Kind::receive) counts_.bytes_received += size;
  std::span<const std::byte> bytes;
  if (lent.is_one()) bytes = lent.get(size);
  if (slot->buffer != nullptr) bytes = {slot->buffer.get(), size};
  tell(number, {result, is_last, bytes});
}

// Whether the error is transient, so that the operation must be restarted.
bool Proactor::is_passing(Slot& slot, int error) noexcept {
  switch (error) {
    case EINTR:
      return true;
    case EAGAIN:
      // The kernel treats a non-blocking descriptor as a request not to wait.
      slot.poll_first = true;
      return true;
    case ENOBUFS:
      // Buffers become free while the events are handled.
      if (slot.kind != Kind::receive || buffers_ == nullptr) return false;
      ++counts_.no_buffers;
      return true;
    case EINVAL:
      // The kernel may not support multishot for this operation.
      return (slot.kind == Kind::accept || slot.kind == Kind::receive) &&
             !std::exchange(slot.one_shot, true);
    case ECANCELED:
      // The thread that started it has ended. It is unknown how much a send has sent.
      return slot.kind != Kind::send;
    default:
      return false;
  }
}

void Proactor::tell(std::uint32_t number, const Completion& completion) {
  Slot& slot = slots_[number];
  if (slot.abandoned) {
    if (slot.kind == Kind::accept && completion.result >= 0) ::close(completion.result);
    if (completion.is_last) free(number);
    return;
  }
  // Moved out of the slot, because the callback may restart the operation.
  std::unique_ptr<std::byte[]> buffer = std::move(slot.buffer);
  if (completion.is_last) {
    Callback callback = std::move(slot.callback);
    free(number);
    callback(completion);
  } else {
    slot.callback(completion);
    if (slot.buffer == nullptr) slot.buffer = std::move(buffer);
  }
}

}  // namespace fathom::rt
