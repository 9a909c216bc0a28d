// Proactor: an event loop that does I/O and tells when it is done, by io_uring.
//
// Guarantees: an operation is told of in the order of its completions, none is lost, and one of the
// calls is its last, also where it was cancelled meanwhile: either it was done or it was not. What
// completes late finds nobody: operations have numbers of their own, which a reused descriptor does
// not change. All that a turn starts and cancels reaches the kernel in the one system call in which
// the next turn waits.
//
// What the kernel lacks is done otherwise: accepts and receives one at a time where they cannot go
// on by themselves, buffers of their own where none can be shared. Where there is no io_uring at
// all, or it is refused, as containers often do, why_not() says so: see make_event_loop().
//
// It may run on another thread than it was made on, and be destroyed on any. Where another thread
// than before runs it, sends that are under way end with ECANCELED; the rest goes on.
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
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fathom/rt/net/event_loop.h"

namespace fathom::rt {

class Proactor final : public EventLoop {
 public:
  struct Completion {
    // What the system call would have returned: bytes, or a descriptor; or -errno.
    int result = 0;
    // No call follows.
    bool is_last = true;
    // What was received; gone when the callback returns.
    std::span<const std::byte> bytes;
  };
  using Callback = std::function<void(const Completion&)>;

  class Operation {
   public:
    Operation() = default;  // none

   private:
    friend class Proactor;
    Operation(std::uint32_t slot, std::uint32_t generation)
        : slot_(slot), generation_(generation) {}
    std::uint32_t slot_ = 0;
    std::uint32_t generation_ = 0;  // never that of an operation
  };

  struct Options {
    // Operations that are started with one system call; more take more calls.
    unsigned submissions = 256;
    // That the kernel keeps until they are looked at. More are kept, too, but cost it memory.
    unsigned completions = 4096;
    // What is received comes in these, which all operations share. Rounded up to a power of two;
    // none: each operation has its own.
    unsigned buffers = 256;
    std::size_t buffer_bytes = 16'384;
    // What newer kernels can do, 6.1 and 6.0: work is done only for the one thread that waits; an
    // operation goes on without being started again.
    bool one_thread = true;
    bool multishot = true;
  };

  struct Counts {
    std::uint64_t started = 0;     // operations, and those that were started again
    std::uint64_t cancelled = 0;   // that the kernel was asked to
    std::uint64_t restarted = 0;   // that the kernel had ended before their time
    std::uint64_t no_buffers = 0;  // of them, because all buffers were in use
    std::uint64_t overflows = 0;   // waits after which the kernel kept more than it has room for
    std::uint64_t bytes_received = 0;  // told of or not
  };

  // Why there can be none here, in a sentence; empty where there can. It tries. The variable
  // FATHOM_NO_IO_URING of the environment, where it is neither empty nor 0, is a reason, too.
  static std::string why_not();

  // Throws base::SystemError, with a sentence of why_not(), or where the system gives no more
  // descriptors or memory.
  Proactor();
  explicit Proactor(Options options);
  // Cancels what is under way. When the kernel has let go of it, jobs, timers and callbacks are
  // destroyed, and what they own may abandon operations then. Nobody is told any more. On no thread
  // may run() be under way.
  ~Proactor() override;

  // Accepts connections until it is cancelled or an error ends it. The descriptors do not block,
  // are closed by exec, and are the callback's. Throws std::bad_alloc, as all that start do.
  Operation accept(int listener, Callback callback);

  // Receives until the other side ends (0), an error, or cancel().
  Operation receive(int socket, Callback callback);

  // What comes first, a buffer of it at most; one call. The rest stays in the socket: so who can
  // take no more starts no more, where receive() may have filled many buffers before it is
  // cancelled.
  Operation receive_once(int socket, Callback callback);

  // Sends the bytes, or fewer, as soon as the socket takes some; one call. They stay where they are
  // until then, or until abandon() has returned. No signal SIGPIPE is raised.
  Operation send(int socket, std::span<const std::byte> bytes, Callback callback);

  // Tells when the descriptor becomes ready for any of these POLLIN, POLLOUT and so on, or has an
  // error or is hung up, or its other side has ended, which need not be asked for; until it is
  // cancelled. The result is what holds. As with an edge-triggered registration of a Reactor, what
  // stays so is not told again.
  Operation ready(int descriptor, short events, Callback callback);

  // Ends it before its time: what has completed already is told, and then ECANCELED, unless that
  // was the last. Never calls the callback itself. Whether there was anything to cancel.
  bool cancel(Operation operation) noexcept;
  using EventLoop::cancel;

  // Cancels it, and nobody is told any more; connections that it would have been given are closed.
  // The callback is destroyed soon, but not while it runs. When it returns, the kernel has let go
  // of the descriptor and of the bytes of a send. That takes a system call where it was under way,
  // and some ten milliseconds, once, where another thread has run the loop.
  void abandon(Operation operation) noexcept;

  [[nodiscard]] const Counts& counts() const noexcept { return counts_; }

 protected:
  std::size_t wait(Duration most) override;
  void dispatch() override;
  [[nodiscard]] bool has_events() const noexcept override { return next_event_ < events_.size(); }
  void wake() noexcept override;
  std::unique_ptr<TcpTransport> make_tcp_transport() override;

 private:
  enum class Kind : std::uint8_t { accept, receive, send, ready };
  enum class State : std::uint8_t {
    free,       // in the list of free slots
    queued,     // to be started in the next wait
    in_flight,  // the kernel has it; in the list of those to be cancelled, perhaps
    completed,  // the last that the kernel has to say is among the events
    ended       // an event will be made of it in the next wait
  };
  // Slots, in a line from which each can leave. A slot is in one at most.
  struct List {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };
  static constexpr std::uint32_t kNone = 0xffffffff;

  struct Slot {
    Callback callback;
    std::unique_ptr<std::byte[]> buffer;  // of a receive, where buffers are not shared
    std::span<const std::byte> bytes;     // of a send
    List* list = nullptr;
    std::uint32_t before = kNone;
    std::uint32_t after = kNone;
    std::uint32_t generation = 1;
    int descriptor = -1;
    short events = 0;  // of ready()
    Kind kind = Kind::accept;
    State state = State::free;
    bool cancelled = false;   // its owner wants its end
    bool abandoned = false;   // and nothing else
    bool once = false;        // the first that comes is the last
    bool one_shot = false;    // the kernel is not to go on by itself, or refused to
    bool poll_first = false;  // the kernel refused to wait with the call itself
  };
  // A completion, as the kernel tells it.
  struct Event {
    std::uint64_t tag;
    int result;
    unsigned flags;
  };
  class Ring;     // liburing's
  class Buffers;  // shared by what is received
  class Lent;     // one of them

  Operation start(Kind kind, int descriptor, std::span<const std::byte> bytes, Callback callback);
  Slot* find(Operation operation) noexcept;
  Slot* find(std::uint64_t tag) noexcept;
  [[nodiscard]] std::uint64_t tag_of(std::uint32_t slot) const noexcept;
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
  void cancel_again(std::uint64_t tag) noexcept;
  void take_ended();

  void drop_handled() noexcept;
  void handle(const Event& event);
  bool is_passing(Slot& slot, int error) noexcept;
  void tell(std::uint32_t slot, const Completion& completion);

  Options options_;
  Counts counts_;
  int wake_ = -1;  // an eventfd
  std::unique_ptr<Buffers> buffers_;
  std::unique_ptr<Ring> ring_;
  bool wake_armed_ = false;  // the kernel tells of wakes
  std::size_t in_flight_ = 0;

  // What is in it does not move: a callback that runs may start others.
  std::deque<Slot> slots_;
  List free_;
  List queued_;
  List to_cancel_;
  List ended_;

  std::vector<Event> events_;
  std::size_t next_event_ = 0;
};

}  // namespace fathom::rt
