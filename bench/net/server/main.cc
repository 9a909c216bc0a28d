// fathom-echo-server: sends back what it receives, in one of many ways, by name.

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>

#include "fathom/base/error.h"
#include "net/limits.h"
#include "net/server/kinds.h"
#include "net/server/listening.h"
#include "net/server/stop.h"

namespace {

using namespace fathom::bench;

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

constexpr const char* kAbout =
    "Sends back everything it receives, on a port of 127.0.0.1 that it prints. With\n"
    "--socket-buffer the sizes of the buffers for sending and receiving follow the port. Ends on\n"
    "SIGTERM or SIGINT, or when the other end of standard input, a pipe or a terminal, is closed.";

struct Request {
  std::string kind;
  unsigned threads = 0;   // 0: the default of the kind
  int socket_buffer = 0;  // 0: the kernel's choice
  bool list = false;
};

// One line per kind: its name, the maximum number of clients (0: limited by descriptors), and a
// summary. fathom-echo reads it.
void list_kinds() {
  for (const Kind& kind : kinds()) {
    fmt::print("{:<18} {:>5} {}\n", kind.name, kind.most_clients, kind.summary);
  }
}

std::string first_line(const Listeners& made, int socket_buffer) {
  const auto port = port_of(made.sockets.front());
  if (socket_buffer == 0) return fmt::format("{}\n", port);
  return fmt::format("{} {} {}\n", port, made.buffers.send, made.buffers.receive);
}

void serve(const Kind& kind, const Request& request) {
  Serving serving;
  serving.threads = request.threads == 0 ? kind.threads : request.threads;
  Listeners made =
      listen_on_loopback(kind.listens_in_each_thread ? serving.threads : 1, request.socket_buffer);
  const Stop stop;
  serving.stop = stop.descriptor();
  fmt::print("{}", first_line(made, request.socket_buffer));
  if (std::fflush(stdout) != 0) throw fathom::base::Error("cannot print the port");
  serving.listeners = std::move(made.sockets);
  kind.serve(serving);
}

int run(int argc, char** argv) {
  Request request;
  CLI::App app{kAbout, "fathom-echo-server"};
  app.add_option("KIND", request.kind, "the kind of server; --list lists them");
  app.add_option("--threads", request.threads, "number of threads (default: depends on the kind)")
      ->check(CLI::Range(1, 1024));
  app.add_option("--socket-buffer", request.socket_buffer,
                 "bytes to request for the kernel's buffers of each connection")
      ->check(CLI::Range(1, kMostSocketBuffer));
  app.add_flag("--list", request.list,
               "list the kinds: name, maximum number of clients (0: no limit), summary");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kWrongUsage;
  }
  if (request.list) {
    list_kinds();
    return 0;
  }
  const Kind* const kind = find_kind(request.kind);
  if (kind == nullptr) {
    fmt::print(stderr, "fathom-echo-server: {}; --list lists the kinds\n",
               request.kind.empty() ? "KIND is missing" : "unknown kind '" + request.kind + "'");
    return kWrongUsage;
  }
  std::signal(SIGPIPE, SIG_IGN);
  allow_many_descriptors();
  serve(*kind, request);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "fathom-echo-server: {}\n", error.what());
    return kFailed;
  }
}
