// Reactor: an event loop that tells when descriptors are ready, by epoll.
//
// Guarantees: a callback is never called for a descriptor that was removed before, though events of
// its were waiting, and though another file has got its number since: registrations have numbers of
// their own. Callbacks may add, change and remove any registration, their own as well. Each ready
// descriptor is called once in a turn, so that none starves.
//
// A level-triggered callback is called in each turn in which the descriptor is ready: do a bounded
// piece of work and return. An edge-triggered one is called when it becomes ready, and must go on
// until the call would block, or it may never be called again; it saves nothing but the calls for
// what is left.
//
// Linux. Several reactors, each with a thread, may serve one port: see TcpServer.
//
//   Reactor reactor;
//   const Reactor::Registration in = reactor.add(fd, Reactor::kReadable, [&](unsigned ready) {
//     if (read_some(fd) == 0) reactor.remove(in), ::close(fd);
//   });
//   reactor.run();

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "fathom/rt/net/event_loop.h"

namespace fathom::rt {

class Reactor final : public EventLoop {
 public:
  // What a callback is told, together; errors and hang-ups are told whether asked for or not.
  static constexpr unsigned kReadable = 1;  // a read does not block: data, an end or an error
  static constexpr unsigned kWritable = 2;
  static constexpr unsigned kHangUp = 4;  // nobody reads any more, or the connection is gone
  static constexpr unsigned kError = 8;
  static constexpr unsigned kEnded = 16;  // the other side sends no more; asked for with kReadable

  enum class Trigger : bool { level, edge };
  using Callback = std::function<void(unsigned ready)>;

  class Registration {
   public:
    Registration() = default;  // none

   private:
    friend class Reactor;
    Registration(std::uint32_t slot, std::uint32_t generation)
        : slot_(slot), generation_(generation) {}
    std::uint32_t slot_ = 0;
    std::uint32_t generation_ = 0;  // never that of a registration
  };

  struct Options {
    // That one wait brings at most.
    std::size_t events = 256;
  };

  // Throws base::SystemError where the system gives no more descriptors.
  Reactor();
  explicit Reactor(Options options);
  // Descriptors are closed by whom they belong to. On no thread may run() be under way.
  ~Reactor() override;

  // Calls the callback when the descriptor is ready for any of `interest`, kReadable and kWritable.
  // It stays the caller's, who removes it before closing it: epoll knows files, and one that
  // another descriptor keeps open could not be removed any more. Throws base::SystemError: EEXIST
  // for one that is there already, EPERM for a file that is always ready, ENOSPC, ENOMEM.
  Registration add(int descriptor, unsigned interest, Callback callback,
                   Trigger trigger = Trigger::level);

  // From now on for that. Also makes an edge-triggered one tell again what it is ready for. Nothing
  // happens for what is removed. Throws base::SystemError.
  void change(Registration registration, unsigned interest);

  // No call any more. The callback is destroyed soon, but not while it runs. Nothing happens for
  // what is removed already.
  void remove(Registration registration) noexcept;

  // Calls the callback with the number of each of these signals that comes, on the loop's thread;
  // several of one number may count as one. Blocks them on this thread; others must have them
  // blocked, so call it before they start. Once. Throws base::SystemError.
  void on_signals(const std::vector<int>& numbers, std::function<void(int)> callback);

 protected:
  std::size_t wait(Duration most) override;
  void dispatch() override;
  [[nodiscard]] bool has_events() const noexcept override { return next_event_ < event_count_; }
  void wake() noexcept override;
  std::unique_ptr<TcpTransport> make_tcp_transport() override;

 private:
  struct Slot {
    int descriptor = -1;
    std::uint32_t generation = 1;
    std::uint32_t next_free = 0;
    Trigger trigger = Trigger::level;
    bool used = false;
    Callback callback;
  };
  struct Events;   // a buffer for epoll_wait
  struct Signals;  // a signalfd

  Slot* find(Registration registration) noexcept;
  [[nodiscard]] bool is_registered(std::uint32_t number) const noexcept;
  void control(int operation, const Slot& slot, std::uint32_t number, unsigned interest);
  void free_removed() noexcept;

  int epoll_ = -1;
  int wake_ = -1;  // an eventfd
  // What is in it does not move: a callback that runs may add others.
  std::deque<Slot> slots_;
  std::uint32_t free_;
  std::vector<std::uint32_t> slot_of_;  // by descriptor; what was closed may still have one
  std::vector<std::uint32_t> removed_;  // slots whose callbacks may be running
  std::unique_ptr<Events> events_;
  std::size_t event_count_ = 0;
  std::size_t next_event_ = 0;
  std::unique_ptr<Signals> signals_;
};

}  // namespace fathom::rt
