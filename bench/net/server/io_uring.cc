// io_uring with liburing alone: the kernel receives requests and reports their completion.
//
// One accept, and one receive per client, stay active until they are cancelled (multishot), and a
// receive takes its buffer from a group that the kernel holds, so idle clients hold no buffer. If
// the kernel does not support one of these, which it reports on first use, each operation is
// submitted separately, into a buffer of the client.
//
// A client that does not read holds at most kMostPieces buffers of the group, plus those that the
// kernel fills before it processes the cancellation. If the group is empty, clients receive into
// their own buffers, one each: no client waits for another client's buffers.

#include <fcntl.h>
#include <liburing.h>
#include <poll.h>
#include <sys/mman.h>

#include <array>
#include <cerrno>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "fathom/base/error.h"
#include "net/server/acceptor.h"
#include "net/server/kinds.h"

namespace fathom::bench {

namespace {

constexpr unsigned kSubmissions = 1024;
constexpr unsigned kCompletions = 4 * kSubmissions;  // several for each active submission
constexpr std::size_t kMostPieces = 16;
constexpr int kGroup = 0;

// The ring. It must be constructed by the thread that uses it.
class Ring {
 public:
  Ring() {
    // With the first set of flags the kernel does completion work only while we wait, from 6.1 on.
    int result = -EINVAL;
    for (const unsigned flags :
         {IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, IORING_SETUP_COOP_TASKRUN, 0U}) {
      io_uring_params parameters = {};
      parameters.flags = flags | IORING_SETUP_CQSIZE;
      parameters.cq_entries = kCompletions;
      result = ::io_uring_queue_init_params(kSubmissions, &ring_, &parameters);
      if (result != -EINVAL) break;
    }
    if (result < 0) throw base::SystemError("io_uring is not permitted here", -result);
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring() { ::io_uring_queue_exit(&ring_); }

  io_uring* get() noexcept { return &ring_; }

 private:
  io_uring ring_;
};

// A group of buffers that the kernel takes and that are given back to it.
class Buffers {
 public:
  explicit Buffers(io_uring* ring) : memory_(map(kCount * kBufferBytes)) {
    entries_ = static_cast<io_uring_buf_ring*>(map(kCount * sizeof(io_uring_buf)));
    io_uring_buf_reg registration = {};
    registration.ring_addr = reinterpret_cast<std::uintptr_t>(entries_);
    registration.ring_entries = kCount;
    registration.bgid = kGroup;
    usable_ = ::io_uring_register_buf_ring(ring, &registration, 0) == 0;
    if (!usable_) return;
    ::io_uring_buf_ring_init(entries_);
    for (unsigned id = 0; id < kCount; ++id) add(id, static_cast<int>(id));
    ::io_uring_buf_ring_advance(entries_, kCount);
  }
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;
  ~Buffers() {
    ::munmap(entries_, kCount * sizeof(io_uring_buf));
    ::munmap(memory_, kCount * kBufferBytes);
  }

  // Whether the kernel supports buffer groups.
  bool usable() const noexcept { return usable_; }

  char* at(unsigned id) noexcept { return static_cast<char*>(memory_) + id * kBufferBytes; }

  void give_back(unsigned id) {
    add(id, 0);
    ::io_uring_buf_ring_advance(entries_, 1);
  }

 private:
  static constexpr unsigned kCount = 256;  // a power of two

  static void* map(std::size_t bytes) {
    void* const memory =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw base::SystemError("cannot allocate buffers", errno);
    return memory;
  }

  void add(unsigned id, int offset) {
    ::io_uring_buf_ring_add(entries_, at(id), kBufferBytes, static_cast<unsigned short>(id),
                            ::io_uring_buf_ring_mask(kCount), offset);
  }

  void* memory_;
  io_uring_buf_ring* entries_ = nullptr;
  bool usable_ = false;
};

// Received bytes that have to be sent: in a buffer of the group, or in the client's own.
struct Piece {
  static constexpr int kOwn = -1;

  int buffer;
  std::size_t size;
  std::size_t gone = 0;
};

struct Client {
  explicit Client(base::Fd taken) : socket(std::move(taken)) {}

  base::Fd socket;
  std::deque<Piece> pieces;
  std::vector<char> own;   // used by a receive or by the only piece
  bool receiving = false;  // a receive is in the kernel
  bool standing = false;   // the receive is multishot
  bool revoking = false;   // the receive is being cancelled
  bool sending = false;    // the first piece is in the kernel
  bool ended = false;      // nothing more will be received
};

class Loop {
 public:
  Loop(base::Fd listener, int stop)
      : acceptor_(std::move(listener)), buffers_(ring_.get()), receives_stand_(buffers_.usable()) {
    // With a non-blocking listener, some kernels complete an accept with EAGAIN.
    if (::fcntl(acceptor_.descriptor(), F_SETFL, 0) != 0) {
      throw base::SystemError("cannot make a listener blocking", errno);
    }
    ask_for_clients();
    io_uring_sqe* const entry = submission();
    ::io_uring_prep_poll_add(entry, stop, POLLIN);
    tag(entry, Operation::stop, 0);
  }

  void run() {
    std::array<io_uring_cqe*, kBatch> done;
    for (;;) {
      const int result = ::io_uring_submit_and_wait(ring_.get(), 1);
      // EBUSY and EAGAIN: completions must be processed first.
      if (result < 0 && result != -EINTR && result != -EBUSY && result != -EAGAIN) {
        throw base::SystemError("cannot wait for completions", -result);
      }
      const unsigned count = ::io_uring_peek_batch_cqe(ring_.get(), done.data(), kBatch);
      bool stop = false;
      for (unsigned i = 0; i < count; ++i) stop = !handle(*done[i]) || stop;
      ::io_uring_cq_advance(ring_.get(), count);
      if (stop) return;
    }
  }

 private:
  enum class Operation : std::uint64_t { receive, send, revoke, accept, stop };

  // A completion causes at most three submissions: there is always room for those of one batch.
  static constexpr unsigned kBatch = kSubmissions / 4;

  // The kernel returns the tag with the completion. The object that it names stays alive until
  // then.
  static void tag(io_uring_sqe* entry, Operation operation, int descriptor) {
    entry->user_data = tag_of(operation, descriptor);
  }
  static std::uint64_t tag_of(Operation operation, int descriptor) {
    return static_cast<std::uint64_t>(descriptor) << 3 | static_cast<std::uint64_t>(operation);
  }

  io_uring_sqe* submission() {
    io_uring_sqe* const entry = ::io_uring_get_sqe(ring_.get());
    if (entry == nullptr) throw base::Error("the submission queue of io_uring is full");
    return entry;
  }

  // False if the server is to end.
  bool handle(const io_uring_cqe& done) {
    const auto operation = static_cast<Operation>(done.user_data & 7);
    if (operation == Operation::stop) return false;
    if (operation == Operation::accept) {
      accepted(done);
      return true;
    }
    const auto number = static_cast<std::size_t>(done.user_data >> 3);
    Client& client = *clients_[number];
    switch (operation) {
      case Operation::receive:
        received(client, done);
        break;
      case Operation::send:
        sent(client, done.res);
        break;
      default:
        client.revoking = false;
        break;
    }
    go_on(client);
    return true;
  }

  void ask_for_clients() {
    io_uring_sqe* const entry = submission();
    if (accepts_stand_) {
      ::io_uring_prep_multishot_accept(entry, acceptor_.descriptor(), nullptr, nullptr,
                                       SOCK_CLOEXEC);
    } else {
      ::io_uring_prep_accept(entry, acceptor_.descriptor(), nullptr, nullptr, SOCK_CLOEXEC);
    }
    tag(entry, Operation::accept, 0);
  }

  void accepted(const io_uring_cqe& done) {
    if (done.res >= 0) {
      const auto number = static_cast<std::size_t>(done.res);
      if (number >= clients_.size()) clients_.resize(number * 2);
      clients_[number] = std::make_unique<Client>(base::Fd(done.res));
      go_on(*clients_[number]);
    } else if (done.res == -EINVAL && accepts_stand_) {
      accepts_stand_ = false;
    } else if (Acceptor::is_shortage(-done.res)) {
      acceptor_.turn_away();
    }
    if ((done.flags & IORING_CQE_F_MORE) == 0) ask_for_clients();
  }

  void received(Client& client, const io_uring_cqe& done) {
    const bool was_standing = client.standing;
    if ((done.flags & IORING_CQE_F_MORE) == 0) client.receiving = client.standing = false;
    if (done.res > 0) {
      const bool of_group = (done.flags & IORING_CQE_F_BUFFER) != 0;
      const int buffer =
          of_group ? static_cast<int>(done.flags >> IORING_CQE_BUFFER_SHIFT) : Piece::kOwn;
      client.pieces.push_back({buffer, static_cast<std::size_t>(done.res)});
    } else if (done.res == -ENOBUFS) {
      use_own(client);
    } else if (done.res == -EINVAL && was_standing) {
      receives_stand_ = false;
    } else if (done.res != -ECANCELED && done.res != -EINTR && done.res != -EAGAIN) {
      client.ended = true;
    }
  }

  void sent(Client& client, int result) {
    client.sending = false;
    Piece& piece = client.pieces.front();
    if (result < 0 && result != -EINTR && result != -EAGAIN) {
      give_up_on(client);
      return;
    }
    if (result > 0) piece.gone += static_cast<std::size_t>(result);
    if (piece.gone == piece.size) drop_first(client);
  }

  // The client left without reading: pending answers are dropped, and its receive, if any, ends.
  void give_up_on(Client& client) {
    while (!client.pieces.empty()) drop_first(client);
    client.ended = true;
    ::shutdown(client.socket.get(), SHUT_RDWR);
  }

  void drop_first(Client& client) {
    const Piece& piece = client.pieces.front();
    if (piece.buffer != Piece::kOwn) buffers_.give_back(static_cast<unsigned>(piece.buffer));
    client.pieces.pop_front();
  }

  // Submits the next operation for this client. If none is in progress and nothing is left to do,
  // the client is removed.
  void go_on(Client& client) {
    if (!client.pieces.empty() && !client.sending) send(client);
    if (client.standing && !client.revoking && client.pieces.size() >= kMostPieces) revoke(client);
    if (client.receiving || !client.pieces.empty()) return;
    if (!client.ended) {
      receive(client);
    } else if (!client.revoking) {
      clients_[static_cast<std::size_t>(client.socket.get())].reset();
    }
  }

  void receive(Client& client) {
    const int socket = client.socket.get();
    if (!receives_stand_) use_own(client);
    io_uring_sqe* const entry = submission();
    client.standing = client.own.empty();
    if (client.standing) {
      ::io_uring_prep_recv_multishot(entry, socket, nullptr, 0, 0);
      entry->flags |= IOSQE_BUFFER_SELECT;
      entry->buf_group = kGroup;
    } else {
      ::io_uring_prep_recv(entry, socket, client.own.data(), client.own.size(), 0);
    }
    tag(entry, Operation::receive, socket);
    client.receiving = true;
  }

  static void use_own(Client& client) {
    if (client.own.empty()) client.own.resize(kBufferBytes);
  }

  void send(Client& client) {
    const int socket = client.socket.get();
    const Piece& piece = client.pieces.front();
    const char* const bytes = piece.buffer == Piece::kOwn
                                  ? client.own.data()
                                  : buffers_.at(static_cast<unsigned>(piece.buffer));
    io_uring_sqe* const entry = submission();
    ::io_uring_prep_send(entry, socket, bytes + piece.gone, piece.size - piece.gone,
                         MSG_NOSIGNAL | MSG_WAITALL);
    tag(entry, Operation::send, socket);
    client.sending = true;
  }

  void revoke(Client& client) {
    const int socket = client.socket.get();
    io_uring_sqe* const entry = submission();
    ::io_uring_prep_cancel64(entry, tag_of(Operation::receive, socket), 0);
    tag(entry, Operation::revoke, socket);
    client.revoking = true;
  }

  std::vector<std::unique_ptr<Client>> clients_;  // by descriptor; must outlive the ring
  Acceptor acceptor_;
  Ring ring_;
  Buffers buffers_;
  bool accepts_stand_ = true;
  bool receives_stand_;
};

}  // namespace

void serve_io_uring(Serving& serving) {
  run_loops(serving, "io_uring",
            [&](base::Fd listener) { Loop(std::move(listener), serving.stop).run(); });
}

}  // namespace fathom::bench
