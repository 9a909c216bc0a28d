// rt's Reactor in a program that receives and sends by itself: the cost of the loop alone. Level-
// and edge-triggered, with the same Echo as the raw loops.

#include "fathom/rt/net/reactor.h"

#include <memory>
#include <utility>
#include <vector>

#include "net/server/acceptor.h"
#include "net/server/echo.h"
#include "net/server/kinds.h"

namespace fathom::bench {

namespace {

using rt::Reactor;

class Loop {
 public:
  Loop(base::Fd listener, int stop, Reactor::Trigger trigger)
      : acceptor_(std::move(listener)), trigger_(trigger) {
    reactor_.add(stop, Reactor::kReadable, [this](unsigned) { reactor_.stop(); });
    reactor_.add(acceptor_.descriptor(), Reactor::kReadable, [this](unsigned) { accept(); });
  }

  void run() { reactor_.run(); }

 private:
  struct Client {
    explicit Client(base::Fd socket) : echo(std::move(socket)) {}

    Echo echo;
    Reactor::Registration registration;
    Wants awaited = Wants::receive;
  };

  // After so many buffers of one client, the others get their turn.
  static constexpr int kTurns = 16;

  void accept() {
    while (base::Fd socket = acceptor_.next()) {
      const int number = socket.get();
      if (static_cast<std::size_t>(number) >= clients_.size()) {
        clients_.resize(static_cast<std::size_t>(number) * 2);
      }
      auto& client = clients_[static_cast<std::size_t>(number)];
      client = std::make_unique<Client>(std::move(socket));
      Client* const at = client.get();
      const bool edge = trigger_ == Reactor::Trigger::edge;
      at->registration = reactor_.add(
          number, edge ? Reactor::kReadable | Reactor::kWritable : Reactor::kReadable,
          [this, at, edge](unsigned ready) { edge ? follow(*at, ready) : serve(*at); }, trigger_);
    }
  }

  void serve(Client& client) {
    const Wants wants = client.echo.turn(buffer_);
    if (wants == client.awaited) return;
    if (wants == Wants::end) return end(client);
    reactor_.change(client.registration,
                    wants == Wants::send ? Reactor::kWritable : Reactor::kReadable);
    client.awaited = wants;
  }

  // Serves the client until its socket is empty.
  void follow(Client& client, unsigned ready) {
    const bool left = (ready & (Reactor::kEnded | Reactor::kHangUp | Reactor::kError)) != 0;
    for (int turn = 0; turn < kTurns; ++turn) {
      const Wants wants = client.echo.turn(buffer_);
      if (wants == Wants::end) return end(client);
      if (wants == Wants::send) return;  // writability will cause an edge
      if (!left && !client.echo.may_hold_more()) return;
    }
    reactor_.change(client.registration, Reactor::kReadable | Reactor::kWritable);
  }

  void end(const Client& client) {
    reactor_.remove(client.registration);
    clients_[static_cast<std::size_t>(client.echo.descriptor())].reset();
  }

  Reactor reactor_{{.events = kEvents}};
  Acceptor acceptor_;
  const Reactor::Trigger trigger_;
  std::vector<std::unique_ptr<Client>> clients_;  // by descriptor
  std::vector<char> buffer_ = std::vector<char>(kBufferBytes);
};

void serve_by(Serving& serving, const char* name, Reactor::Trigger trigger) {
  run_loops(serving, name,
            [&](base::Fd listener) { Loop(std::move(listener), serving.stop, trigger).run(); });
}

}  // namespace

void serve_reactor(Serving& serving) {
  serve_by(serving, "reactor", Reactor::Trigger::level);
}

void serve_reactor_et(Serving& serving) {
  serve_by(serving, "reactor-et", Reactor::Trigger::edge);
}

}  // namespace fathom::bench
