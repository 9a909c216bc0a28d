// select(): sets of descriptors are passed to the kernel and overwritten. Descriptors must be below
// FD_SETSIZE: clients with higher ones are refused.

#include <sys/select.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/base/retry.h"
#include "net/server/acceptor.h"
#include "net/server/echo.h"
#include "net/server/kinds.h"

namespace fathom::bench {

namespace {

class Loop {
 public:
  Loop(base::Fd listener, int stop) : acceptor_(std::move(listener)), stop_(stop) {
    FD_ZERO(&receiving_);
    FD_ZERO(&sending_);
    watch(stop_);
    watch(acceptor_.descriptor());
  }

  void run() {
    for (;;) {
      fd_set readable = receiving_;
      fd_set writable = sending_;
      int ready = base::retry(
          [&] { return ::select(highest_ + 1, &readable, &writable, nullptr, nullptr); });
      if (ready < 0) throw base::SystemError("cannot wait for events", errno);
      if (FD_ISSET(stop_, &readable)) return;
      const bool comes = FD_ISSET(acceptor_.descriptor(), &readable);
      if (comes) {
        FD_CLR(acceptor_.descriptor(), &readable);
        --ready;
      }
      for (int number = 0; ready > 0 && number <= highest_; ++number) {
        if (!FD_ISSET(number, &readable) && !FD_ISSET(number, &writable)) continue;
        --ready;
        serve(number);
      }
      if (comes) accept();
    }
  }

 private:
  void watch(int number) {
    if (number >= FD_SETSIZE) throw base::Error("too many descriptors are open for select()");
    FD_SET(number, &receiving_);
    highest_ = std::max(highest_, number);
  }

  void accept() {
    while (base::Fd socket = acceptor_.next()) {
      const int number = socket.get();
      if (number >= FD_SETSIZE) {
        turn_away();
        continue;
      }
      watch(number);
      clients_[static_cast<std::size_t>(number)] = std::make_unique<Echo>(std::move(socket));
    }
  }

  void turn_away() {
    if (told_) return;
    told_ = true;
    std::fprintf(stderr,
                 "fathom-echo-server: select() only supports descriptors below %d (FD_SETSIZE): "
                 "refusing further clients\n",
                 FD_SETSIZE);
  }

  void serve(int number) {
    auto& client = clients_[static_cast<std::size_t>(number)];
    const Wants wants = client->turn(buffer_);
    FD_CLR(number, &receiving_);
    FD_CLR(number, &sending_);
    if (wants == Wants::end) {
      client.reset();
    } else {
      FD_SET(number, wants == Wants::send ? &sending_ : &receiving_);
    }
  }

  Acceptor acceptor_;
  const int stop_;
  fd_set receiving_;
  fd_set sending_;
  int highest_ = 0;  // never decreases: that would require a search
  std::array<std::unique_ptr<Echo>, FD_SETSIZE> clients_;
  std::vector<char> buffer_ = std::vector<char>(kBufferBytes);
  bool told_ = false;
};

}  // namespace

void serve_select(Serving& serving) {
  run_loops(serving, "select",
            [&](base::Fd listener) { Loop(std::move(listener), serving.stop).run(); });
}

}  // namespace fathom::bench
