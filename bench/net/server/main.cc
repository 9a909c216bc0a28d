// fathom-echo-server: sends back what it receives, in one of many ways, by name.

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>

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
    "Sends back everything it receives, on a port of 127.0.0.1 that it prints. Ends on SIGTERM or\n"
    "SIGINT, or when the other end of standard input, a pipe or a terminal, is closed.";

// One line per kind: its name, the maximum number of clients (0: limited by descriptors), and a
// summary. fathom-echo reads it.
void list_kinds() {
  for (const Kind& kind : kinds()) {
    fmt::print("{:<18} {:>5} {}\n", kind.name, kind.most_clients, kind.summary);
  }
}

void serve(const Kind& kind, unsigned threads) {
  Serving serving;
  serving.threads = threads == 0 ? kind.threads : threads;
  serving.listeners = listen_on_loopback(kind.listens_in_each_thread ? serving.threads : 1);
  const Stop stop;
  serving.stop = stop.descriptor();
  fmt::print("{}\n", port_of(serving.listeners.front()));
  if (std::fflush(stdout) != 0) throw fathom::base::Error("cannot print the port");
  kind.serve(serving);
}

int run(int argc, char** argv) {
  std::string name;
  unsigned threads = 0;
  bool list = false;
  CLI::App app{kAbout, "fathom-echo-server"};
  app.add_option("KIND", name, "the kind of server; --list lists them");
  app.add_option("--threads", threads, "number of threads (default: depends on the kind)")
      ->check(CLI::Range(1, 1024));
  app.add_flag("--list", list,
               "list the kinds: name, maximum number of clients (0: no limit), summary");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kWrongUsage;
  }
  if (list) {
    list_kinds();
    return 0;
  }
  const Kind* const kind = find_kind(name);
  if (kind == nullptr) {
    fmt::print(stderr, "fathom-echo-server: {}; --list lists the kinds\n",
               name.empty() ? "KIND is missing" : "unknown kind '" + name + "'");
    return kWrongUsage;
  }
  std::signal(SIGPIPE, SIG_IGN);
  allow_many_descriptors();
  serve(*kind, threads);
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
