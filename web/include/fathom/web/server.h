// Server: shows a filesystem over HTTP, during and after a scan, as docs/HTTP.md and docs/SERVE.md
// document.
//
// Guarantees: read-only, except for acts that the user allows one by one (acting.h). Files outside
// the scanned roots are neither named nor read, except the snapshots of the store, and what they
// name. Requests without the token, from other sites, or with a host name that is not the server's
// are rejected, and their connections end; clients with the token get in however many others
// connect. Belongs
// to the thread of the loop, which must outlive it. Scans, searches and slow answers run on its own
// threads, which block signals.
//
//   rt::Reactor loop;
//   web::Server server(loop, {.subject = {.scan = {.roots = {"/srv"}}}});
//   print(server.address());
//   loop.run();

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "fathom/rt/net/event_loop.h"
#include "fathom/web/acting.h"
#include "fathom/web/subject.h"

namespace fathom::web {

struct ServerOptions {
  // Numeric. A non-loopback address lets other machines connect; they still need the token.
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: the system chooses
  // The path of a Unix domain socket to listen on instead, to which only its owner can connect. A
  // stale socket at the path is replaced; any other file is an error. The file is removed at the
  // end, unless it has been replaced.
  std::string unix_socket;
  Subject subject;
  Acting acting;
};

class Server {
 public:
  // Listens, and starts the scan. Throws base::Error and base::SystemError, for example EADDRINUSE;
  // if other machines could connect although acts are allowed; and what check_limits() throws.
  Server(rt::EventLoop& loop, const ServerOptions& options);
  // Closes all connections, cancels scans and searches and waits for them, and removes the file of
  // the socket.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // The address of the page, with the token. It gives access to everyone who knows it. For a Unix
  // domain socket, the host is localhost.
  [[nodiscard]] std::string address() const;
  [[nodiscard]] std::uint16_t port() const;
  // Throws base::Error, with a sentence, if the process may open too few files for a loop and a
  // server that can answer anybody.
  static void check_limits();
  // Whether only this machine can connect to an address.
  [[nodiscard]] static bool is_loopback(const std::string& address);
  // Whether the program contains the page.
  [[nodiscard]] static bool has_page();

  // Cancels scans and searches, and finishes the connections within the grace period. Then the loop
  // calls `done`.
  void shut_down(rt::EventLoop::Duration grace, std::function<void()> done);
  // Whether a scan, a search or an answer is still running. The destructor would wait for it, but a
  // scan may hang in the kernel.
  [[nodiscard]] bool busy() const;

 private:
  struct Parts;
  const std::unique_ptr<Parts> parts_;
};

}  // namespace fathom::web
