// Proactor: an event loop that performs I/O and reports its completion, based on io_uring.
//
// Guarantees: completions of an operation are reported in their order, none is lost, and exactly
// one call is marked as the last, even if the operation was cancelled meanwhile: either it
// completed or it did not. A late completion never reaches the wrong callback: operations have
// their own numbers, independent of reused descriptors. Everything that a turn starts and cancels
// reaches the kernel in the single system call with which the next turn waits.
//
// Features that the kernel lacks are emulated: accepts and receives are restarted one by one if
// they cannot continue by themselves, and operations use private buffers if these cannot be shared.
// If io_uring is missing, or refused as in many containers, why_not() gives the reason: see
// make_event_loop().
//
// The loop may run on another thread than the one that constructed it, and may be destroyed on any
// thread. If it runs on another thread than before, sends in progress end with ECANCELED;
// everything else continues.
//
//   Proactor proactor;
//   proactor.receive(fd, [&](const Proactor::Completion& done) {
//     if (done.result <= 0) return ended(-done.result);
//     use(done.bytes);
//   });
//   proactor.run();

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fathom/base/fd.h"
#include "fathom/rt/detail/slots.h"
#include "fathom/rt/net/event_loop.h"
#include "fathom/rt/unique_function.h"

namespace fathom::rt {

class Proactor final : public EventLoop {
 public:
  struct Completion {
    // The result of the system call: a number of bytes, or a descriptor; or -errno.
    int result = 0;
    // No further call follows for this operation.
    bool is_last = true;
    // The received bytes; invalid after the callback returns.
    std::span<const std::byte> bytes;
  };
  using Callback = UniqueFunction<void(const Completion&)>;

  using Operation = detail::SlotId<Proactor>;  // default constructed: none

  // The first three are rounded up to powers of two. More than a limit counts as the limit.
  struct Options {
    // The number of operations that one system call starts, at most 32,768; more take more calls.
    unsigned submissions = 256;
    // The number of completions that the kernel stores without extra memory, at most 65,536.
    unsigned completions = 4096;
    // The number of receive buffers, shared by all operations, at most 32,768; 0: each operation
    // has its own.
    unsigned buffers = 256;
    // The size of each, less than 2 GiB.
    std::size_t buffer_bytes = 16'384;
    // Features of newer kernels, 6.1 and 6.0: completion work runs only on the one thread that
    // waits; an operation continues without being restarted.
    bool one_thread = true;
    bool multishot = true;
  };

  struct Counts {
    std::uint64_t started = 0;     // operations, including restarts
    std::uint64_t cancelled = 0;   // cancellations sent to the kernel
    std::uint64_t restarted = 0;   // operations that the kernel ended early
    std::uint64_t no_buffers = 0;  // of these, because all buffers were in use
    std::uint64_t overflows = 0;   // waits after which the kernel had more completions than room
    std::uint64_t bytes_received = 0;  // reported or not
  };

  // Why a Proactor cannot be constructed here, in a sentence; empty if it can. It tries. The
  // environment variable FATHOM_NO_IO_URING, if neither empty nor 0, is also a reason.
  static std::string why_not();

  // Throws base::SystemError with a sentence of why_not(), or if the system is out of descriptors,
  // and std::bad_alloc, also if there is no memory for the buffers.
  Proactor();
  explicit Proactor(Options options);
  // Cancels all operations. When the kernel has released them, jobs, timers and callbacks are
  // destroyed; objects that these own may still call abandon(). No further callback is made. run()
  // must not be in progress on any thread.
  ~Proactor() override;

  // Accepts connections until it is cancelled or an error ends it. The descriptors are non-blocking
  // and close-on-exec; the callback owns them. Throws std::bad_alloc, and in a child of fork()
  // base::Error, like all functions that start an operation.
  Operation accept(int listener, Callback callback);

  // Receives until the peer ends the stream (result 0), an error, or cancel().
  Operation receive(int socket, Callback callback);

  // Receives once, at most one buffer; one call. The rest stays in the socket: use this to stop
  // receiving under back pressure, because receive() may fill many buffers before it is cancelled.
  Operation receive_once(int socket, Callback callback);

  // Sends the bytes, or fewer, as soon as the socket accepts some; one call. The bytes must stay
  // valid until then, or until abandon() has returned. Never raises SIGPIPE.
  Operation send(int socket, std::span<const std::byte> bytes, Callback callback);

  // Reports when the descriptor becomes ready for any of the given poll events (POLLIN, POLLOUT and
  // so on), has an error, is hung up, or its peer has ended the stream; the last three need not be
  // requested. Continues until it is cancelled. The result is the set of events. Like an
  // edge-triggered registration of a Reactor, it does not report a condition again while it
  // persists. Ends with EPERM for a file that is always ready, such as a regular file.
  Operation ready(int descriptor, short events, Callback callback);

  // Ends the operation early: completions so far are reported, then ECANCELED, unless one of them
  // was the last. Never runs the callback itself. Returns whether there was an operation to cancel.
  bool cancel(Operation operation) noexcept;
  using EventLoop::cancel;

  // Cancels the operation without any further callback; connections that it would have accepted are
  // closed. The callback is destroyed soon, but not while it runs. On return, the kernel no longer
  // uses the descriptor or the bytes of a send. This takes a system call if the operation was in
  // progress, and once some ten milliseconds if another thread has run the loop.
  void abandon(Operation operation) noexcept;

  [[nodiscard]] const Counts& counts() const noexcept { return counts_; }

 protected:
  std::size_t wait(Duration most) override;
  void dispatch() override;
  [[nodiscard]] bool has_events() const noexcept override { return next_event_ < events_.size(); }
  void wake() noexcept override;
  void watch(int descriptor, UniqueFunction<void()> readable) override;
  std::unique_ptr<TcpTransport> make_tcp_transport() override;

 private:
  enum class Kind : std::uint8_t { accept, receive, send, ready };
  enum class State : std::uint8_t {
    free,       // there is no operation
    queued,     // will be started in the next wait
    in_flight,  // submitted to the kernel; possibly in the list to cancel
    completed,  // its last completion is among the events
    ended       // the next wait creates an event for it
  };
  // A linked list of slots with removal in the middle. A slot is in at most one list.
  struct List {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };
  static constexpr std::uint32_t kNone = 0xffffffff;

  struct Slot {
    Callback callback;
    std::unique_ptr<std::byte[]> buffer;  // of a receive without shared buffers
    std::span<const std::byte> bytes;     // of a send
    List* list = nullptr;
    std::uint32_t before = kNone;
    std::uint32_t after = kNone;
    int descriptor = -1;
    short events = 0;  // of ready()
    Kind kind = Kind::accept;
    State state = State::free;
    bool cancelled = false;   // cancel() was called
    bool abandoned = false;   // abandon() was called
    bool once = false;        // its first completion is its last
    bool one_shot = false;    // the kernel must not, or does not, repeat it
    bool poll_first = false;  // the kernel does not wait within the call itself
  };
  // A completion as the kernel reports it.
  struct Event {
    std::uint64_t tag;
    int result;
    unsigned flags;
  };
  class Ring;     // liburing's
  class Buffers;  // the shared receive buffers
  class Lent;     // one of them

  Operation start(Kind kind, int descriptor, std::span<const std::byte> bytes, Callback callback);
  Slot* find(Operation operation) noexcept;
  void append(List& list, std::uint32_t slot) noexcept;
  void leave(std::uint32_t slot) noexcept;
  void free(std::uint32_t slot) noexcept;

  void open();
  void retire() noexcept;
  void cancel_all() noexcept;
  void close_untold() noexcept;
  void drop_callbacks() noexcept;
  bool submit_wake();
  bool submit_cancels();
  bool submit_starts();
  bool submit_start(std::uint32_t slot);
  bool submit_cancel(std::uint64_t tag);
  void* next_entry();
  void harvest();
  void harvest_queue();
  void cancel_again(std::uint64_t tag) noexcept;
  void take_ended();

  void drop_handled() noexcept;
  void handle(const Event& event);
  bool is_passing(Slot& slot, int error) noexcept;
  void tell(std::uint32_t slot, const Completion& completion);

  Options options_;
  Counts counts_;
  base::Fd wake_;  // an eventfd
  std::unique_ptr<Buffers> buffers_;
  std::unique_ptr<Ring> ring_;
  bool wake_armed_ = false;  // the kernel reports writes to wake_
  bool ending_ = false;      // destructors of callbacks may still start operations, without effect
  std::size_t in_flight_ = 0;

  // They do not move: a running callback may start other operations.
  detail::Slots<Slot, Operation> slots_;
  List queued_;
  List to_cancel_;
  List ended_;

  std::vector<Event> events_;
  std::size_t next_event_ = 0;
};

}  // namespace fathom::rt
