// Server: shows a filesystem over HTTP, while it is scanned and afterwards, as docs/HTTP.md and
// docs/SERVE.md tell.
//
// Guarantees: read-only; what lies outside the scanned roots is neither named nor read; nothing is
// answered without the token, to another site, or under a name that is not the server's. Belongs to
// the thread of the loop, which must outlive it. Scans, searches and answers that take time are
// made by threads of its own, which block signals.
//
//   rt::Reactor loop;
//   web::Server server(loop, {.subject = {.scan = {.roots = {"/srv"}}}});
//   say(server.address());
//   loop.run();

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "fathom/rt/net/event_loop.h"
#include "fathom/web/subject.h"

namespace fathom::web {

struct ServerOptions {
  // Numeric; one that is not of the loopback lets others connect, who still need the token.
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: the system chooses
  // Listens there instead, on a socket of the Unix domain that only its owner may connect to. One
  // that nobody listens on any more is replaced; any other file there is an error. Its file is
  // removed at the end, unless another one has taken its place.
  std::string unix_socket;
  Subject subject;
};

class Server {
 public:
  // Listens, and begins to scan. Throws base::Error and base::SystemError, EADDRINUSE say.
  Server(rt::EventLoop& loop, const ServerOptions& options);
  // Closes all connections, cancels what runs and waits for it. Removes the socket's file.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Of the page, with the token that it needs: whoever knows it may look. For a socket's file it
  // says localhost.
  [[nodiscard]] std::string address() const;
  [[nodiscard]] std::uint16_t port() const;
  // Whether it was built with the page.
  [[nodiscard]] static bool has_page();

  // Cancels what runs, finishes the connections within the grace; then the loop calls `done`.
  void shut_down(rt::EventLoop::Duration grace, std::function<void()> done);
  // Whether a scan, a search or an answer is under way still, for which the destructor would wait:
  // a scan may hang in the kernel.
  [[nodiscard]] bool busy() const;

 private:
  struct Parts;
  const std::unique_ptr<Parts> parts_;
};

}  // namespace fathom::web
