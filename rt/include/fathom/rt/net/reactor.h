// Reactor: an event loop that reports when descriptors are ready, based on epoll.
//
// Guarantees: a callback is never called for a registration that was removed, even if its events
// were pending and another file has the same descriptor number now: registrations have their own
// numbers. Callbacks may add, change and remove any registration, including their own. Each ready
// descriptor is handled once per turn, so none starves.
//
// A level-triggered callback is called in each turn in which the descriptor is ready: do a limited
// amount of work and return. An edge-triggered one is called when the descriptor becomes ready, and
// must continue until the call would block, or it may never be called again; it only saves the
// calls for what is left.
//
// Linux only. Several reactors, each with its own thread, may serve one port: see TcpServer.
//
//   Reactor reactor;
//   const Reactor::Registration in = reactor.add(fd, Reactor::kReadable, [&](unsigned ready) {
//     if (read_some(fd) == 0) reactor.remove(in), ::close(fd);
//   });
//   reactor.run();

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "fathom/base/fd.h"
#include "fathom/rt/detail/slots.h"
#include "fathom/rt/net/event_loop.h"
#include "fathom/rt/unique_function.h"

namespace fathom::rt {

class Reactor final : public EventLoop {
 public:
  // The bits of a callback's argument; errors and hang-ups are reported even if not requested.
  static constexpr unsigned kReadable = 1;  // a read does not block: data, the end, or an error
  static constexpr unsigned kWritable = 2;
  static constexpr unsigned kHangUp = 4;  // the peer no longer reads, or the connection is closed
  static constexpr unsigned kError = 8;
  static constexpr unsigned kEnded = 16;  // the peer sends no more; comes with kReadable, too

  enum class Trigger : bool { level, edge };
  using Callback = UniqueFunction<void(unsigned ready)>;

  using Registration = detail::SlotId<Reactor>;  // default constructed: none

  struct Options {
    // The maximum number of events per wait.
    std::size_t events = 256;
  };

  // Throws base::SystemError if the system is out of descriptors.
  Reactor();
  explicit Reactor(Options options);
  // Does not close the registered descriptors. run() must not be in progress on any thread.
  ~Reactor() override;

  // Calls the callback when the descriptor is ready for any of `interest`: kReadable, kWritable and
  // kEnded.
  // The caller keeps the descriptor and must remove it before closing it: epoll tracks open files,
  // and a file that another descriptor keeps open could no longer be removed. Throws
  // base::SystemError: EEXIST if the descriptor is already registered, EPERM for a file that is
  // always ready, ENOSPC, ENOMEM.
  Registration add(int descriptor, unsigned interest, Callback callback,
                   Trigger trigger = Trigger::level);

  // Changes the interest. Also makes an edge-triggered registration report its current readiness
  // again. Does nothing if it was removed. Throws base::SystemError.
  void change(Registration registration, unsigned interest);

  // Ends the calls. The callback is destroyed soon, but not while it runs. Does nothing if it was
  // already removed.
  void remove(Registration registration) noexcept;

 protected:
  std::size_t wait(Duration most) override;
  void dispatch() override;
  [[nodiscard]] bool has_events() const noexcept override { return next_event_ < event_count_; }
  void wake() noexcept override;
  void watch(int descriptor, UniqueFunction<void()> readable) override;
  std::unique_ptr<TcpTransport> make_tcp_transport() override;

 private:
  struct Slot {
    int descriptor = -1;
    Trigger trigger = Trigger::level;
    Callback callback;
  };
  struct Events;  // a buffer for epoll_wait

  [[nodiscard]] bool is_registered(std::uint32_t number) const noexcept;
  void control(int operation, std::uint32_t number, unsigned interest);
  void free_removed() noexcept;

  base::Fd epoll_;
  base::Fd wake_;  // an eventfd
  // They do not move: a running callback may add others.
  detail::Slots<Slot, Registration> slots_;
  std::vector<std::uint32_t> slot_of_;  // by descriptor; closed ones may still have an entry
  std::vector<std::uint32_t> removed_;  // slots whose callbacks may be running
  std::unique_ptr<Events> events_;
  std::size_t event_count_ = 0;
  std::size_t next_event_ = 0;
};

}  // namespace fathom::rt
